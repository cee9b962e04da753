package io.godwit.server.extension;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of the API that extensions are compiled against. */
public record ApiVersion(int major, int minor) {
    /** The API of this broker. */
    public static final ApiVersion OURS = new ApiVersion(0, 1);

    private static final Pattern FORM =
            Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})(?:\\.[0-9]+)?");

    /** Reads {@code 0.1}; a third number does not count. */
    static Optional<ApiVersion> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(
                        new ApiVersion(
                                Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2))))
                : Optional.empty();
    }

    /** Returns whether an extension that needs the other version at least runs with this one. */
    boolean serves(ApiVersion least) {
        return major == least.major && minor >= least.minor;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
