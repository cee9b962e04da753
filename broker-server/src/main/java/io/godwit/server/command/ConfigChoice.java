package io.godwit.server.command;

import io.godwit.server.StartFailed;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.launch.RunArguments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The configuration that a command reads: the one that the broker runs with. */
public class ConfigChoice {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "the broker's configuration, instead of conf/godwit.yaml")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "key=value",
            description = "overrides a key of the configuration; may be repeated")
    private List<String> sets = new ArrayList<>();

    /**
     * @throws StartFailed with a line for each mistake
     */
    public final Config config() throws StartFailed {
        try {
            return ConfigLoader.load(file(), System.getenv(), sets);
        } catch (ConfigException e) {
            throw new StartFailed(
                    e.problems().stream().map(Object::toString).collect(Collectors.joining("\n")),
                    e);
        }
    }

    /** Without the option that of the launcher, if there is one: a backup needs none. */
    private @Nullable Path file() {
        Path usual = RunArguments.defaultConfig(System.getenv());
        return file != null || usual == null || !Files.exists(usual) ? file : usual;
    }
}
