package io.godwit.server;

import io.godwit.server.client.PubCommand;
import io.godwit.server.client.SubCommand;
import io.godwit.server.command.ClusterCertCommand;
import io.godwit.server.command.ClusterCommand;
import io.godwit.server.command.KickCommand;
import io.godwit.server.command.MemoryCommand;
import io.godwit.server.command.PasswdCommand;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.config.ConfigProblem;
import io.godwit.server.config.EffectiveValue;
import io.godwit.server.extension.command.ExtensionCommand;
import io.godwit.server.launch.RunArguments;
import io.godwit.server.logging.StartErrors;
import io.godwit.server.rules.RulesCommand;
import io.godwit.server.store.StoreCommand;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.security.Security;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The program's entry. Exit codes: 0 an orderly stop, 1 it could not start or the configuration is
 * wrong, 2 wrong arguments, 3 the heap is used up. The launcher {@code godwit} finds Java, has it
 * sized and comes here.
 */
public final class Main {
    private static final int RUNNING = -1;
    private static final String KNOWN_NAME_SECONDS = "5";

    private Main() {}

    public static void main(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals("run")) {
            ProcessSignals.install();
            forgetHostNames();
        }
        int exitCode = execute(arguments);
        // A broker that runs has left its threads; the process ends when it is told to.
        if (exitCode != RUNNING) System.exit(exitCode);
    }

    /**
     * Has the JVM look up host names of other nodes anew: one that is unknown at the next try, one
     * that is known after some seconds. Nodes get other addresses while this one runs.
     */
    private static void forgetHostNames() {
        Security.setProperty("networkaddress.cache.ttl", KNOWN_NAME_SECONDS);
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
    }

    /** The exit code; -1 when the process goes on. */
    public static int execute(String... arguments) {
        String command = arguments.length == 0 ? "" : arguments[0];
        List<String> rest =
                Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length);
        return switch (command) {
            case "run" -> run(rest);
            case "config" -> config(rest);
            case "pub" -> new PubCommand().execute(rest);
            case "sub" -> new SubCommand().execute(rest);
            case "store" -> tool(command, new StoreCommand(), rest);
            case "memory" -> tool(command, new MemoryCommand(), rest);
            case "kick" -> tool(command, new KickCommand(), rest);
            case "rules" -> tool(command, new RulesCommand(), rest);
            case "cluster" -> tool(command, new ClusterCommand(), rest);
            case "passwd" -> tool(command, new PasswdCommand(), rest);
            case "extension" -> tool(command, new ExtensionCommand(), rest);
            case "cluster-cert" -> tool(command, new ClusterCertCommand(), rest);
            case "version" -> version();
            default -> {
                System.err.println(
                        "godwit: the commands are run, config, pub, sub, store, memory, kick, passwd, rules,"
                                + " cluster, extension, cluster-cert and version; see godwit help");
                yield 2;
            }
        };
    }

    private static int tool(String command, Object tool, List<String> arguments) {
        return new CommandLine(tool)
                .setCommandName("godwit " + command)
                .execute(arguments.toArray(String[]::new));
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
        Path file = run.configFile(System.getenv());
        if (run.check()) return check(file, run.sets());
        try {
            Config config = ConfigLoader.load(file, System.getenv(), run.sets());
            HeapUsedUp.watch();
            StartErrors errors = StartErrors.of(file, System.getenv(), run.sets());
            Server.start(config, failure -> errors.print(String.valueOf(failure.getMessage())))
                    .reloadFrom(() -> ConfigLoader.load(file, System.getenv(), run.sets()))
                    .runAsProcess();
            return RUNNING;
        } catch (ConfigException e) {
            StartErrors errors = StartErrors.of(file, System.getenv(), run.sets());
            for (ConfigProblem problem : e.problems()) errors.print(problem.toString());
            return 1;
        } catch (StartFailed e) {
            return 1; // It was told already.
        }
    }

    private static int check(@Nullable Path file, List<String> sets) {
        try {
            StartCheck check = StartCheck.of(ConfigLoader.load(file, System.getenv(), sets));
            check.problems().forEach(System.err::println);
            if (!check.problems().isEmpty()) return 1;
            check.remarks().forEach(System.err::println);
            System.out.println("The configuration is valid: " + shown(file));
            return 0;
        } catch (ConfigException e) {
            for (ConfigProblem problem : e.problems()) System.err.println(problem);
            return 1;
        }
    }

    private static String shown(@Nullable Path file) {
        return file == null ? "there is no file" : file.toAbsolutePath().normalize().toString();
    }

    private static int config(List<String> arguments) {
        try {
            RunArguments run = RunArguments.parse("config", arguments);
            if (run.help()) {
                System.out.print(RunArguments.CONFIG_USAGE);
                return 0;
            }
            Path file = run.configFile(System.getenv());
            System.out.println("# " + shown(file));
            for (EffectiveValue each : EffectiveValue.all(file, System.getenv(), run.sets())) {
                System.out.println(each);
            }
            return 0;
        } catch (RunArguments.Wrong wrong) {
            System.err.println("godwit: " + wrong.getMessage());
            return 2;
        } catch (ConfigException e) {
            for (ConfigProblem problem : e.problems()) System.err.println(problem);
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
