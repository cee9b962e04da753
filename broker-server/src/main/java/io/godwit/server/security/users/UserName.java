package io.godwit.server.security.users;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Checks the names of the users of the file. */
public final class UserName {
    private static final int BYTES_MAX = 65_535;
    private static final int SHOWN_MAX = 64;

    private UserName() {}

    /** Returns why a name may not stand in the file; null: it may. */
    public static @Nullable String mistake(String name) {
        if (name.isEmpty()) {
            return "the user name is empty";
        }
        if (name.startsWith("#")) {
            return "a user name must not begin with #: that makes the line a remark";
        }
        if (!name.equals(name.strip())) {
            return "a user name must not begin or end with a blank";
        }
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            if (each == ':') {
                return "a user name must not contain a colon";
            }
            if (Character.isISOControl(each)) {
                return "a user name must not contain control characters";
            }
        }
        if (name.length() > BYTES_MAX / 3
                && name.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            return "a user name must not have more than " + BYTES_MAX + " bytes";
        }
        return null;
    }

    /** Returns a name that a stranger has chosen as it may stand in a line of the log. */
    static String shown(String name) {
        StringBuilder shown = new StringBuilder();
        name.codePoints()
                .limit(SHOWN_MAX)
                .map(each -> each == '"' || each == '\\' || !isPrintable(each) ? '?' : each)
                .forEach(shown::appendCodePoint);
        return shown.length() < name.length() ? shown + "..." : shown.toString();
    }

    private static boolean isPrintable(int each) {
        return switch (Character.getType(each)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }
}
