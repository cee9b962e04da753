package io.godwit.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A key with the value that a start uses, and where this comes from.
 *
 * @param key dotted
 * @param text the value as YAML; of a secret only whether there is one
 * @param source file and line, variable, {@code --set} or default
 */
public record EffectiveValue(String key, String text, String source) {
    private static final String DEFAULT = "default";
    private static final int SOURCE_COLUMN = 56;

    /**
     * Returns every key, in the order of the shipped file.
     *
     * @throws ConfigException names all mistakes
     */
    public static List<EffectiveValue> all(
            @Nullable Path file, Map<String, String> environment, List<String> sets)
            throws ConfigException {
        ConfigLoader.load(file, environment, sets);
        List<Assignment> written = ConfigLoader.read(file, environment, sets, new ArrayList<>());
        Map<String, Assignment> last = new HashMap<>();
        for (Assignment each : written) last.put(each.key(), each);
        ConfigFolders folders = ConfigFolders.of(file);
        List<EffectiveValue> all = new ArrayList<>();
        for (Key<?> key : Keys.ALL) all.add(of(key, key.name(), last, folders));
        for (String listener : ConfigLoader.namesOfListeners(written)) {
            addListener(all, ListenerKeys.PREFIX + listener + ".", last, folders);
        }
        for (String id : idsOfExtensions(written)) {
            addExtension(all, id, written, last, folders);
        }
        return all;
    }

    private static SortedSet<String> idsOfExtensions(List<Assignment> written) {
        SortedSet<String> ids = new TreeSet<>();
        for (Assignment each : written) ExtensionKeys.idOf(each.key()).ifPresent(ids::add);
        return ids;
    }

    /** Shows no value of an extension's own settings: it alone knows which are secrets. */
    private static void addExtension(
            List<EffectiveValue> all,
            String id,
            List<Assignment> written,
            Map<String, Assignment> last,
            ConfigFolders folders) {
        for (Key<?> key : ExtensionKeys.OF_ONE) {
            if (key == ExtensionKeys.CONFIG) continue;
            all.add(of(key, ExtensionKeys.PREFIX + id + "." + key.name(), last, folders));
        }
        written.stream()
                .map(Assignment::key)
                .filter(key -> key.startsWith(ExtensionKeys.configPrefix(id)))
                .distinct()
                .forEach(key -> all.add(of(ExtensionKeys.CONFIG, key, last, folders)));
    }

    /** Leaves out the keys that a listener of its type can't have. */
    private static void addListener(
            List<EffectiveValue> all,
            String prefix,
            Map<String, Assignment> last,
            ConfigFolders folders) {
        Assignment written = last.get(prefix + ListenerKeys.TYPE.name());
        ListenerConfig.Type type =
                written == null
                        ? ListenerKeys.TYPE.fallback()
                        : ListenerKeys.TYPE
                                .type()
                                .parse(written.text())
                                .orElse(ListenerKeys.TYPE.fallback());
        for (Key<?> key : ListenerKeys.ALL) {
            String name = prefix + key.name();
            boolean isOfWebSocket = ListenerKeys.OF_WEB_SOCKET.contains(key);
            boolean isOfTls = key.name().startsWith("tls.");
            if (ListenerKeys.OF_NAME.contains(key)) continue;
            if (isOfWebSocket && !type.webSocket() || isOfTls && !type.encrypted()) continue;
            if (key == ListenerKeys.BIND && !last.containsKey(name)) {
                all.add(new EffectiveValue(name, "" + type.usualPort(), DEFAULT));
            } else {
                all.add(of(key, name, last, folders));
            }
        }
        for (String host : KnownKeys.serverNames(last.keySet(), prefix)) {
            for (Key<?> key : ListenerKeys.ofServerName(host)) {
                all.add(of(key, prefix + key.name(), last, folders));
            }
        }
    }

    private static <T> EffectiveValue of(
            Key<T> key, String name, Map<String, Assignment> last, ConfigFolders folders) {
        Assignment written = last.get(name);
        if (written == null) {
            boolean isBesideProgram =
                    name.equals(NodeKeys.NODE_DATA.name())
                            || name.equals(ExtensionKeys.FOLDER.name());
            String text =
                    isBesideProgram
                            ? folders.home().resolve(key.shownFallback()).toString()
                            : key.shownFallback();
            return new EffectiveValue(name, key.type().isSecret() ? "\"\"" : yaml(text), DEFAULT);
        }
        if (key.type().isSecret()) {
            String shown = written.text().isEmpty() ? "\"\"" : "(secret)";
            return new EffectiveValue(name, shown, written.where());
        }
        Optional<T> value = key.type().parse(written.text());
        String text =
                value.map(each -> key.type().show(each, path -> folders.resolve(path).toString()))
                        .orElse(written.text());
        return new EffectiveValue(name, yaml(text), written.where());
    }

    /** Quotes what YAML would read as something else. */
    private static String yaml(String text) {
        boolean isPlain =
                text.matches("[A-Za-z0-9/._<-][^#\"'\\\\]*|\\[[^\"'\\\\]*]")
                        && !text.endsWith(":")
                        && !text.contains(": ");
        return isPlain ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(key).append(": ").append(text);
        while (line.length() < SOURCE_COLUMN) line.append(' ');
        return line.append("  # ").append(source).toString();
    }
}
