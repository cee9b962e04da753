package io.godwit.server.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads {@code GODWIT_MQTT_RECEIVE_MAXIMUM=100}. Since {@code .} and {@code -} both become {@code
 * _}, names are looked up by what each known key would be called. A listener that the file names is
 * found under that name; another one is called as the variable says, in small letters with {@code
 * -}.
 */
final class EnvironmentSource {
    /** Read by the launcher. */
    private static final Set<String> RESERVED =
            Set.of("GODWIT_JAVA_OPTS", "GODWIT_CONFIG", "GODWIT_VERBOSE");

    /**
     * Kubernetes sets these in each pod for a service that is called godwit or godwit-something.
     */
    static final Pattern OF_KUBERNETES =
            Pattern.compile(
                    "GODWIT_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP).*)?)");

    private static final String LISTENER_PREFIX = "GODWIT_LISTENERS_";
    private static final String EXTENSION_PREFIX = "GODWIT_EXTENSIONS_";
    private static final String OF_CONFIG = "_CONFIG_";

    private EnvironmentSource() {}

    /**
     * @param listeners names that the file or the defaults have
     */
    static List<Assignment> read(
            Map<String, String> environment,
            Collection<String> listeners,
            List<ConfigProblem> problems) {
        List<Assignment> found = new ArrayList<>();
        new TreeMap<>(environment)
                .forEach((name, value) -> {
                    if (!name.startsWith("GODWIT_") || RESERVED.contains(name)) return;
                    if (OF_KUBERNETES.matcher(name).matches() && !isOwnSetting(name)) return;
                    keyFor(name, listeners)
                            .ifPresentOrElse(
                                    key -> found.add(new Assignment(key, value.strip(), name)),
                                    () -> problems.add(unknown(name, value)));
                });
        return found;
    }

    /** Extensions may well have a key that is called port, as a service of Kubernetes has. */
    private static boolean isOwnSetting(String name) {
        return name.startsWith(EXTENSION_PREFIX) && name.contains(OF_CONFIG);
    }

    private static Optional<String> keyFor(String name, Collection<String> listeners) {
        if (name.startsWith(LISTENER_PREFIX)) return listenerKeyFor(name, listeners);
        return Keys.ALL.stream()
                .map(Key::name)
                .filter(key -> Key.environmentName(key).equals(name))
                .findFirst()
                .or(() -> extensionKeyFor(name));
    }

    /**
     * An id has small letters and hyphens only. A key of the extension's own keeps the form that it
     * has in the environment: only the extension knows which keys there are.
     */
    private static Optional<String> extensionKeyFor(String name) {
        if (!name.startsWith(EXTENSION_PREFIX)) return Optional.empty();
        int config = name.indexOf(OF_CONFIG, EXTENSION_PREFIX.length());
        if (config > 0) {
            return Optional.of(
                    ExtensionKeys.configPrefix(idIn(name, config))
                            + name.substring(config + OF_CONFIG.length()));
        }
        for (Key<?> key : ExtensionKeys.OF_ONE) {
            String suffix = Key.environmentName(key.name()).substring("GODWIT".length());
            int end = name.length() - suffix.length();
            if (name.endsWith(suffix) && end > EXTENSION_PREFIX.length()) {
                return Optional.of(ExtensionKeys.PREFIX + idIn(name, end) + "." + key.name());
            }
        }
        return Optional.empty();
    }

    private static String idIn(String name, int end) {
        return name.substring(EXTENSION_PREFIX.length(), end)
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }

    private static Optional<String> listenerKeyFor(String name, Collection<String> listeners) {
        for (Key<?> key : ListenerKeys.ALL) {
            String suffix = Key.environmentName(key.name()).substring("GODWIT".length());
            int end = name.length() - suffix.length();
            if (!name.endsWith(suffix) || end <= LISTENER_PREFIX.length()) continue;
            String shown = name.substring(LISTENER_PREFIX.length(), end);
            String listener =
                    listeners.stream()
                            .filter(known -> environmentForm(known).equals(shown))
                            .findFirst()
                            .orElse(shown.toLowerCase(Locale.ROOT).replace('_', '-'));
            return Optional.of(ListenerKeys.PREFIX + listener + "." + key.name());
        }
        return Optional.empty();
    }

    private static String environmentForm(String listener) {
        return listener.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static ConfigProblem unknown(String name, String value) {
        List<String> known = new ArrayList<>();
        Keys.ALL.forEach(key -> known.add(Key.environmentName(key.name())));
        ListenerKeys.ALL.forEach(key ->
                known.add(Key.environmentName(ListenerKeys.PREFIX + "<name>." + key.name())));
        ExtensionKeys.OF_ONE.forEach(
                key -> known.add(Key.environmentName(ExtensionKeys.PREFIX + "<id>." + key.name())));
        String nearest =
                known.stream()
                        .min(Comparator.comparingInt(each -> EditDistance.between(name, each)))
                        .orElseThrow();
        boolean isNear = EditDistance.isNear(withoutPrefix(name), withoutPrefix(nearest));
        return new ConfigProblem(
                "environment",
                name,
                name.startsWith(EXTENSION_PREFIX) ? null : value, // may be a secret
                isNear
                        ? "unknown variable, did you mean " + nearest
                        : "unknown variable; those that begin with GODWIT_ set a key of the"
                                + " configuration");
    }

    private static String withoutPrefix(String name) {
        return name.substring("GODWIT_".length());
    }
}
