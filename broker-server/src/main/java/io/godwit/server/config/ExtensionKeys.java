package io.godwit.server.config;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The tables of the keys that say where extensions are, and of those of one extension, whose names
 * follow {@code extensions.<id>.}.
 */
public final class ExtensionKeys {
    static final String PREFIX = "extensions.";

    private static final long DAY_MS = 86_400_000L;
    private static final Pattern ID =
            Pattern.compile("(?!(users|rules|auto)$)[a-z0-9][a-z0-9-]{0,63}");
    private static final Pattern THREADS_ALLOWED =
            Pattern.compile("virtual|[1-9]|[1-5][0-9]|6[0-4]");
    private static final Pattern CPU_ALLOWED =
            Pattern.compile("([0-9]|[1-5][0-9]|6[0-3])(\\.[0-9]{1,2})?|64(\\.00?)?");
    private static final KeyTable TABLE = new KeyTable();

    static final Key<String> FOLDER =
            TABLE.key(
                    "extensions.folder",
                    ValueType.path("a folder", text -> !text.isEmpty() && text.indexOf('\0') < 0),
                    "extensions",
                    "The folder of extensions (docs/extensions.md): each has a folder of its own in it,"
                            + " named by its id. An extension is code that runs in the broker's process."
                            + " Where this folder is missing when the broker starts there are none.");

    static final Key<Long> WATCH =
            TABLE.key(
                    "extensions.watch",
                    Quantity.millis(1_000, DAY_MS).orZero(),
                    5_000L,
                    "How often the folder is looked at for extensions that are new, gone or changed;"
                            + " a change counts when it is the same at two looks. 0: never, only by"
                            + " 'godwit extension'.");

    static final Key<ExtensionsConfig.Enabled> ENABLED =
            new Key<>(
                    "enabled",
                    ValueType.oneOf(ExtensionsConfig.Enabled.class),
                    ExtensionsConfig.Enabled.AUTO,
                    "Whether the extension runs. auto: unless there is a file DISABLED in its folder,"
                            + " which 'godwit extension disable' makes.");

    static final Key<Boolean> REQUIRED =
            new Key<>(
                    "required",
                    ValueType.bool(),
                    false,
                    "true: the broker does not start without it, and is not ready when it fails later."
                            + " So it is, too, if its extension.yaml says so, or if"
                            + " security.authenticators or security.authorizers names it.");

    static final Key<String> THREADS =
            new Key<>(
                    "threads",
                    ValueType.text(
                            "1..64, virtual",
                            text -> text.isEmpty() || THREADS_ALLOWED.matcher(text).matches()),
                    "",
                    "Threads that run its calls; virtual: as many as there are calls, for code that"
                            + " waits for others. Empty: as its extension.yaml says, or else 2.");

    static final Key<Long> CALL_TIME =
            new Key<>(
                    "call-time",
                    Quantity.millis(100, 600_000),
                    10_000L,
                    "Time limit for one of its calls; without an answer by then the call has failed.");

    static final Key<Long> WAITING =
            new Key<>(
                    "waiting",
                    Quantity.number(1, 1_000_000),
                    10_000L,
                    "Calls that may wait for it; further ones fail at once.");

    static final Key<String> CPU =
            new Key<>(
                    "cpu",
                    ValueType.text(
                            "0..64 with up to two decimals",
                            text -> CPU_ALLOWED.matcher(text).matches()),
                    "0",
                    "Processors that its threads may use on the average of a second, 0.5 for half of"
                            + " one; above it its calls wait until it is below. 0: any number. With"
                            + " virtual threads, which can't be measured, it must be 0.");

    /** Documents the extension's own settings; see {@link #find}. */
    static final Key<String> CONFIG =
            new Key<>(
                    "config.<key>",
                    ValueType.secret("what the extension allows", text -> true),
                    "",
                    "The extension's own settings, which its documentation names. They may also stand"
                            + " in a file config.yaml in its folder, without extensions.<id>.config;"
                            + " what is written here counts before that.");

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    /** In the order of the file. */
    static final List<Key<?>> OF_ONE =
            List.of(ENABLED, REQUIRED, THREADS, CALL_TIME, WAITING, CPU, CONFIG);

    private static final String CONFIG_PREFIX = "config.";

    private ExtensionKeys() {}

    /**
     * Returns whether an extension may be called so: 1 to 64 small letters, digits, hyphens. What
     * {@code security.authenticators} and {@code security.authorizers} have for others is no id.
     */
    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** Returns whether the word says how many threads an extension gets. */
    public static boolean isThreads(String text) {
        return THREADS_ALLOWED.matcher(text).matches();
    }

    /** Returns what stands in front of the keys of an extension's own settings. */
    public static String configPrefix(String id) {
        return PREFIX + id + "." + CONFIG_PREFIX;
    }

    /** Returns how a key of an extension's own settings ends in the environment. */
    public static String environmentForm(String key) {
        return Key.environmentName(key).substring("GODWIT_".length());
    }

    /** Says with which key of a list of known ones a written one was perhaps mistaken. */
    public static String unknown(String written, List<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(each -> EditDistance.between(written, each)))
                .filter(each -> EditDistance.isNear(written, each))
                .map(near -> "unknown key, did you mean " + near)
                .orElse("unknown key; there are " + String.join(", ", known));
    }

    /** Reads a time such as {@code 10s}, in milliseconds; empty when it is none. */
    public static OptionalLong millis(String text) {
        return Quantity.millis(0, Long.MAX_VALUE / 1_000)
                .parse(text)
                .map(OptionalLong::of)
                .orElse(OptionalLong.empty());
    }

    /** Reads a file of an extension; its keys get a prefix. */
    public static List<Assignment> read(Path file, String prefix, List<ConfigProblem> problems) {
        return YamlSource.read(file, prefix, problems);
    }

    /** {@code extensions.http.threads} belongs to {@code http}. */
    static Optional<String> idOf(String fullName) {
        if (!fullName.startsWith(PREFIX)) return Optional.empty();
        int end = fullName.indexOf('.', PREFIX.length());
        if (end < 0) return Optional.empty();
        String id = fullName.substring(PREFIX.length(), end);
        return isId(id) ? Optional.of(id) : Optional.empty();
    }

    static Optional<Key<?>> find(String fullName) {
        return idOf(fullName)
                .map(id -> fullName.substring(PREFIX.length() + id.length() + 1))
                .flatMap(ExtensionKeys::findOfOne);
    }

    private static Optional<Key<?>> findOfOne(String name) {
        if (name.startsWith(CONFIG_PREFIX)) {
            return name.length() > CONFIG_PREFIX.length() ? Optional.of(CONFIG) : Optional.empty();
        }
        return OF_ONE.stream().filter(key -> key.name().equals(name)).findFirst();
    }
}
