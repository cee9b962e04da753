package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A name in which {@code *} stands for any number of characters. In the pattern of a client id
 * {@code %u} stands for the user name, whatever characters that has, and {@code %%} for a percent
 * sign.
 */
final class NamePattern {
    /** Texts with a star between two of them. */
    private final List<Segment> segments;

    private final boolean hasUserName;

    /**
     * A text with the user name in it as often as there are gaps between the parts.
     *
     * @param parts 1 or more
     */
    private record Segment(List<String> parts) {
        String text(@Nullable String userName) {
            return parts.size() == 1 ? parts.get(0) : String.join(String.valueOf(userName), parts);
        }
    }

    private NamePattern(List<Segment> segments) {
        this.segments = segments;
        this.hasUserName = segments.stream().anyMatch(each -> each.parts.size() > 1);
    }

    /** Reads a pattern in which a percent sign stands for itself. */
    static NamePattern of(String text) {
        List<Segment> segments = new ArrayList<>();
        for (String each : text.split("\\*", -1)) {
            segments.add(new Segment(List.of(each)));
        }
        return new NamePattern(segments);
    }

    /**
     * Reads the pattern of a client id.
     *
     * @throws IllegalArgumentException says what is allowed
     */
    static NamePattern ofClientId(String text) {
        List<Segment> segments = new ArrayList<>();
        for (String each : text.split("\\*", -1)) {
            segments.add(new Segment(parts(each)));
        }
        return new NamePattern(segments);
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each != '%') {
                part.append(each);
                continue;
            }
            i++;
            char kind = i < text.length() ? text.charAt(i) : ' ';
            switch (kind) {
                case 'u' -> {
                    parts.add(part.toString());
                    part.setLength(0);
                }
                case '%' -> part.append('%');
                default ->
                        throw new IllegalArgumentException(
                                "behind a percent sign u (the user name) and % are allowed");
            }
        }
        parts.add(part.toString());
        return parts;
    }

    /** Whether the text is a single name, to be found in a table. */
    static boolean isPlain(String text) {
        return text.indexOf('*') < 0;
    }

    /** Whether it depends on the user name of the client. */
    boolean hasUserName() {
        return hasUserName;
    }

    /**
     * @param userName null: there is none, and a pattern that names it matches nothing
     */
    boolean matches(String name, @Nullable String userName) {
        if (hasUserName && userName == null) {
            return false;
        }
        String first = segments.get(0).text(userName);
        if (segments.size() == 1) {
            return name.equals(first);
        }
        String last = segments.get(segments.size() - 1).text(userName);
        if (name.length() < first.length() + last.length()
                || !name.startsWith(first)
                || !name.endsWith(last)) {
            return false;
        }
        int from = first.length();
        int end = name.length() - last.length();
        for (int i = 1; i < segments.size() - 1; i++) {
            String middle = segments.get(i).text(userName);
            int found = name.indexOf(middle, from);
            if (found < 0 || found + middle.length() > end) {
                return false;
            }
            from = found + middle.length();
        }
        return true;
    }
}
