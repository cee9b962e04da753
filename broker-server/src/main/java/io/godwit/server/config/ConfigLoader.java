package io.godwit.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the configuration. What is said later counts: file, environment, {@code --set}. */
public final class ConfigLoader {
    /** The listeners of the shipped file; they also exist when a file names none. */
    private static final List<Assignment> USUAL_LISTENERS =
            List.of(
                    new Assignment("listeners.mqtt.type", "tcp", "default"),
                    new Assignment("listeners.ws.type", "ws", "default"));

    private ConfigLoader() {}

    /**
     * Loads for this process.
     *
     * @param file null = defaults only
     * @param sets {@code key=value}, a later one wins
     * @throws ConfigException names all mistakes
     */
    public static Config load(
            @Nullable Path file, Map<String, String> environment, List<String> sets)
            throws ConfigException {
        return load(file, environment, sets, ConfigFolders.of(file), MemoryBudget.ofThisProcess());
    }

    /** Loads the configuration with everything passed in. */
    static Config load(
            @Nullable Path file,
            Map<String, String> environment,
            List<String> sets,
            ConfigFolders folders,
            MemoryBudget budget)
            throws ConfigException {
        List<ConfigProblem> problems = new ArrayList<>();
        List<Assignment> all = read(file, environment, sets, problems);
        Values values = new Values(problems);
        all.forEach(values::put);
        Config config = new ConfigAssembly(values, folders, budget).assemble(all);
        if (!problems.isEmpty()) {
            throw new ConfigException(problems.stream().distinct().toList());
        }
        return config;
    }

    static List<Assignment> read(
            @Nullable Path file,
            Map<String, String> environment,
            List<String> sets,
            List<ConfigProblem> problems) {
        List<Assignment> all = new ArrayList<>();
        if (file != null) all.addAll(YamlSource.read(file, problems));
        if (namesOfListeners(all).isEmpty()) all.addAll(USUAL_LISTENERS);
        all.addAll(EnvironmentSource.read(environment, namesOfListeners(all), problems));
        all.addAll(SetSource.read(sets, problems));
        return all;
    }

    static Set<String> namesOfListeners(List<Assignment> assignments) {
        Set<String> names = new LinkedHashSet<>();
        for (Assignment each : assignments) KnownKeys.listenerOf(each.key()).ifPresent(names::add);
        return names;
    }
}
