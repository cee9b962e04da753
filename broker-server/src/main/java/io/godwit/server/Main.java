package io.godwit.server;

import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.config.ConfigProblem;
import io.godwit.server.store.StoreCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The program's entry. Exit codes: 0 an orderly stop, 1 it could not start or the configuration is
 * wrong, 2 wrong arguments. The launcher {@code godwit} finds Java, sets its memory and comes here.
 */
@Command(
        name = "godwit",
        description = "A clustered MQTT broker.",
        subcommands = {Main.Run.class, Main.ShowVersion.class, StoreCommand.class},
        mixinStandardHelpOptions = true,
        versionProvider = Main.VersionLines.class)
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        int exitCode = commandLine().execute(arguments);
        // A broker that runs has left its threads; the process ends when it is told to.
        if (exitCode != Run.STARTED) System.exit(exitCode);
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main());
    }

    @Command(name = "run", description = "Runs the broker.", mixinStandardHelpOptions = true)
    static final class Run implements Callable<Integer> {
        private static final int STARTED = -1;

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "the configuration; without it every key has its default")
        private @Nullable Path file;

        @Option(
                names = "--set",
                paramLabel = "key=value",
                description = "overrides a key of the configuration; may be repeated")
        private List<String> sets = List.of();

        @Option(
                names = "--check",
                description = "only says whether the configuration is right: exit code 0 or 1")
        private boolean checkOnly;

        @Override
        public Integer call() throws Exception {
            Config config;
            try {
                config = ConfigLoader.load(file, System.getenv(), sets);
            } catch (ConfigException e) {
                for (ConfigProblem problem : e.problems()) System.err.println(problem);
                return 1;
            }
            // The launcher reads this one key by itself, before there is a JVM to parse YAML.
            long seen = Long.getLong("godwit.memory.configured", config.node().memoryBytes());
            if (seen != config.node().memoryBytes()) {
                System.err.println(
                        "node.memory: the launcher could not read it; write it on a line of its own"
                                + " below node:, or set GODWIT_NODE_MEMORY");
                return 1;
            }
            if (checkOnly) {
                System.out.println("The configuration is right.");
                return 0;
            }
            try {
                Server.start(config).runAsProcess();
            } catch (StartFailed e) {
                System.err.println(e.getMessage());
                return 1;
            }
            return STARTED;
        }
    }

    @Command(name = "version", description = "Says which versions these are.")
    static final class ShowVersion implements Callable<Integer> {
        @Override
        public Integer call() {
            for (String line : new VersionLines().getVersion()) System.out.println(line);
            return 0;
        }
    }

    static final class VersionLines implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {
                "godwit " + Version.current(),
                "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")",
                System.getProperty("os.name") + " " + System.getProperty("os.arch")
            };
        }
    }
}
