package io.godwit.server;

import io.godwit.server.command.ClusterCertCommand;
import io.godwit.server.command.ClusterCommand;
import io.godwit.server.command.KickCommand;
import io.godwit.server.command.MemoryCommand;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.config.ConfigProblem;
import io.godwit.server.launch.RunArguments;
import io.godwit.server.store.StoreCommand;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * The program's entry. Exit codes: 0 an orderly stop, 1 it could not start or the configuration is
 * wrong, 2 wrong arguments, 3 the heap is used up. The launcher {@code godwit} finds Java, has it
 * sized and comes here.
 */
public final class Main {
    private static final int RUNNING = -1;

    private Main() {}

    public static void main(String[] arguments) {
        int exitCode = execute(arguments);
        // A broker that runs has left its threads; the process ends when it is told to.
        if (exitCode != RUNNING) System.exit(exitCode);
    }

    /** The exit code; -1 when the process goes on. */
    public static int execute(String... arguments) {
        String command = arguments.length == 0 ? "" : arguments[0];
        List<String> rest =
                Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length);
        return switch (command) {
            case "run" -> run(rest);
            case "store" ->
                    new CommandLine(new StoreCommand())
                            .setCommandName("godwit store")
                            .execute(rest.toArray(String[]::new));
            case "memory" ->
                    new CommandLine(new MemoryCommand())
                            .setCommandName("godwit memory")
                            .execute(rest.toArray(String[]::new));
            case "kick" ->
                    new CommandLine(new KickCommand())
                            .setCommandName("godwit kick")
                            .execute(rest.toArray(String[]::new));
            case "cluster" ->
                    new CommandLine(new ClusterCommand())
                            .setCommandName("godwit cluster")
                            .execute(rest.toArray(String[]::new));
            case "cluster-cert" ->
                    new CommandLine(new ClusterCertCommand()).execute(rest.toArray(String[]::new));
            case "version" -> version();
            default -> {
                System.err.println(
                        "godwit: the commands are run, store, memory, kick, cluster, cluster-cert and"
                                + " version; see godwit help");
                yield 2;
            }
        };
    }

    private static int run(List<String> arguments) {
        RunArguments run;
        try {
            run = RunArguments.parse(arguments);
        } catch (RunArguments.Wrong wrong) {
            System.err.println("godwit: " + wrong.getMessage());
            return 2;
        }
        if (run.help()) {
            System.out.print(RunArguments.USAGE);
            return 0;
        }
        if (run.verbose()) {
            sayHow();
        }
        try {
            Config config =
                    ConfigLoader.load(run.configFile(System.getenv()), System.getenv(), run.sets());
            if (run.check()) {
                System.out.println("The configuration is valid.");
                return 0;
            }
            HeapUsedUp.watch();
            Server.start(config).runAsProcess();
            return RUNNING;
        } catch (ConfigException e) {
            for (ConfigProblem problem : e.problems()) System.err.println(problem);
            return 1;
        } catch (StartFailed e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }

    private static void sayHow() {
        System.err.println(
                "godwit: JDK: " + System.getProperty("java.home") + " (" + Runtime.version() + ")");
        System.err.println(
                "godwit: memory: "
                        + System.getProperty("godwit.memory", "as the flags say: no launcher"));
        System.err.println(
                "godwit: flags: "
                        + String.join(
                                " ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
    }

    private static int version() {
        System.out.println("godwit " + Version.current());
        System.out.println(
                "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")");
        System.out.println(System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        return 0;
    }
}
