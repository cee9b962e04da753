package io.godwit.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./godwit chaos}: exit code 0 when the broker kept every promise, 1 when it did not. */
@Command(
        name = "chaos",
        description = "Lets a real broker fail under load and checks what it acknowledged.",
        subcommands = ChaosMain.Kill.class,
        mixinStandardHelpOptions = true)
public final class ChaosMain {
    private ChaosMain() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ChaosMain()).execute(arguments));
    }

    @Command(
            name = "kill",
            description = "Kills it (mostly kill -9) at random moments and starts it again.",
            mixinStandardHelpOptions = true)
    static final class Kill implements Callable<Integer> {
        @Option(names = "--rounds", defaultValue = "100", description = "default ${DEFAULT-VALUE}")
        private int rounds;

        @Option(
                names = "--seconds",
                defaultValue = "1.0",
                description = "that a round lasts at most; default ${DEFAULT-VALUE}")
        private double seconds;

        @Option(
                names = "--rate",
                defaultValue = "60",
                description =
                        "messages that each publisher sends a second; default ${DEFAULT-VALUE}")
        private int rate;

        @Option(
                names = "--seed",
                description = "decides what clients do and when it fails; default: a new one")
        private @Nullable Long seed;

        @Option(
                names = "--only",
                description = "every round ends in this way: ${COMPLETION-CANDIDATES}")
        private Endings.@Nullable Kind only;

        @Option(
                names = "--folder",
                description = "an existing folder for the data; default: a temporary one")
        private @Nullable Path folder;

        @Option(
                names = "--set",
                paramLabel = "key=value",
                description = "a key of the broker's configuration; may be repeated")
        private List<String> sets = List.of();

        @Override
        public Integer call() throws IOException {
            Path where = folder == null ? Files.createTempDirectory("godwit-chaos") : folder;
            long chosen = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000) : seed;
            System.out.println("seed " + chosen + ", data in " + where);
            Plan plan =
                    new Plan(
                            chosen,
                            rounds,
                            (int) (seconds * 1_000),
                            rate,
                            only == null ? Endings::any : random -> only.ending,
                            where,
                            sets,
                            Map.of());
            ChaosRun.Report report = ChaosRun.run(plan, System.out::println);
            System.out.println(report);
            return report.violationsAll() == 0 ? 0 : 1;
        }
    }
}
