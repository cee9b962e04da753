package io.godwit.server.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds a key by its full name, and the nearest one for a name that is unknown. */
final class KnownKeys {
    private static final Map<String, Key<?>> FIXED =
            Keys.ALL.stream().collect(Collectors.toMap(Key::name, Function.identity()));
    private static final Map<String, Key<?>> OF_LISTENER =
            ListenerKeys.ALL.stream().collect(Collectors.toMap(Key::name, Function.identity()));
    private static final String LISTENER_NAME = "[a-z0-9][a-z0-9_-]{0,31}";

    private KnownKeys() {}

    static Optional<Key<?>> find(String fullName) {
        if (!fullName.startsWith(ListenerKeys.PREFIX)) {
            Key<?> fixed = FIXED.get(fullName);
            return fixed == null ? ExtensionKeys.find(fullName) : Optional.of(fixed);
        }
        return listenerOf(fullName)
                .map(listener ->
                        fullName.substring(ListenerKeys.PREFIX.length() + listener.length() + 1))
                .flatMap(KnownKeys::findOfListener);
    }

    private static Optional<Key<?>> findOfListener(String name) {
        Optional<Key<?>> ofServerName =
                ListenerKeys.serverNameOf(name)
                        .map(host ->
                                name.endsWith(".key")
                                        ? ListenerKeys.keyOf(host)
                                        : ListenerKeys.certificateOf(host));
        return ofServerName.isPresent()
                ? ofServerName
                : Optional.<Key<?>>ofNullable(OF_LISTENER.get(name))
                        .filter(key -> !ListenerKeys.OF_NAME.contains(key));
    }

    /**
     * The server names to which any of the keys belongs, sorted.
     *
     * @param prefix {@code listeners.<name>.}
     */
    static SortedSet<String> serverNames(Collection<String> fullNames, String prefix) {
        SortedSet<String> names = new TreeSet<>();
        for (String each : fullNames) {
            if (each.startsWith(prefix)) {
                ListenerKeys.serverNameOf(each.substring(prefix.length())).ifPresent(names::add);
            }
        }
        return names;
    }

    /** What was written to a key, unless nobody is to be shown it: then null. */
    static @Nullable String shown(String fullName, String text) {
        boolean isSecret =
                find(fullName)
                        .map(key -> key.type().isSecret())
                        .orElse(fullName.startsWith(ExtensionKeys.PREFIX)); // a mistyped config
        return isSecret ? null : text;
    }

    /**
     * {@code listeners.ws.bind} belongs to {@code ws}; empty when a listener can't be called so.
     */
    static Optional<String> listenerOf(String fullName) {
        if (!fullName.startsWith(ListenerKeys.PREFIX)) return Optional.empty();
        int end = fullName.indexOf('.', ListenerKeys.PREFIX.length());
        if (end < 0) return Optional.empty();
        String name = fullName.substring(ListenerKeys.PREFIX.length(), end);
        return name.matches(LISTENER_NAME) ? Optional.of(name) : Optional.empty();
    }

    static boolean isSection(String name) {
        String prefix = name + ".";
        return all("x", "x").anyMatch(key -> key.startsWith(prefix))
                || ExtensionKeys.idOf(prefix).isPresent()
                        && prefix.matches("[^.]+\\.[^.]+\\.(config\\.)?")
                || (prefix.startsWith(ListenerKeys.PREFIX)
                        && listenerOf(prefix + "x").isPresent()
                        && prefix.matches("[^.]+\\.[^.]+\\.(tls\\.(names\\.)?)?"));
    }

    /** Says why nothing is found under the name, and what was perhaps meant. */
    static String unknown(String fullName) {
        if (isSection(fullName)) return "is a section: its keys stand below it, indented";
        boolean ofListener = fullName.startsWith(ListenerKeys.PREFIX);
        if (ofListener && fullName.indexOf('.', ListenerKeys.PREFIX.length()) > 0) {
            String name =
                    fullName.substring(0, fullName.indexOf('.', ListenerKeys.PREFIX.length()));
            if (listenerOf(fullName).isEmpty()) {
                return "a listener's name is up to 32 of a-z 0-9 _ -, not "
                        + name.substring(ListenerKeys.PREFIX.length());
            }
        }
        if (fullName.startsWith(ExtensionKeys.PREFIX)
                && fullName.indexOf('.', ExtensionKeys.PREFIX.length()) > 0
                && ExtensionKeys.idOf(fullName).isEmpty()) {
            return "an extension's id is up to 64 small letters, digits and hyphens";
        }
        String nearest =
                nearest(
                        fullName,
                        listenerOf(fullName).orElse("<name>"),
                        ExtensionKeys.idOf(fullName).orElse("<id>"));
        return nearest.endsWith("." + fullName) || EditDistance.isNear(fullName, nearest)
                ? "unknown key, did you mean " + nearest
                : "unknown key; 'godwit config' names all";
    }

    private static String nearest(String fullName, String listener, String extension) {
        String tail = "." + fullName;
        return all(listener, extension)
                .min(
                        Comparator.<String>comparingInt(
                                        known -> known.endsWith(tail) ? 0 : 1) // section forgotten
                                .thenComparingInt(known -> EditDistance.between(fullName, known))
                                .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    private static Stream<String> all(String listener, String extension) {
        return Stream.of(
                        FIXED.keySet().stream(),
                        OF_LISTENER.keySet().stream()
                                .map(key -> ListenerKeys.PREFIX + listener + "." + key),
                        ExtensionKeys.OF_ONE.stream()
                                .map(key -> ExtensionKeys.PREFIX + extension + "." + key.name()))
                .flatMap(Function.identity());
    }
}
