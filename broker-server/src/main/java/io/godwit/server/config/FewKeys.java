package io.godwit.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A few keys as they are written, for who decides how the process starts that then loads
 * everything. Read without the table of all keys, whose making would be most of the time that this
 * takes; what is wrong is told by {@link ConfigLoader}.
 */
public final class FewKeys {
    private FewKeys() {}

    /**
     * @param file null = defaults only
     * @param sets {@code key=value}, a later one wins
     * @return the texts of those of the keys that are set
     */
    public static Map<String, String> texts(
            Set<String> keys,
            @Nullable Path file,
            Map<String, String> environment,
            List<String> sets) {
        List<ConfigProblem> toldLater = new ArrayList<>();
        List<Assignment> all = new ArrayList<>();
        if (file != null) all.addAll(YamlSource.read(file, toldLater));
        for (String key : keys) {
            String variable = environment.get(Key.environmentName(key));
            if (variable != null) all.add(new Assignment(key, variable.strip(), "environment"));
        }
        all.addAll(SetSource.read(sets, toldLater));
        Map<String, String> texts = new HashMap<>();
        for (Assignment each : all) {
            if (keys.contains(each.key())) texts.put(each.key(), each.text());
        }
        return texts;
    }

    /** Names the node as node.name says, or as its machine is called. */
    public static String nodeName(String chosen) {
        return chosen.isEmpty() ? ConfigAssembly.hostName() : chosen;
    }
}
