package io.godwit.server.command;

import io.godwit.server.StartFailed;
import io.godwit.server.client.CheckingLoad;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit cluster demo}: ends when every node has ended, or when it is told to. */
@Command(
        name = "demo",
        description = "Runs a demo cluster of three nodes on this machine; Ctrl-C stops it.")
final class DemoCommand extends AnsweringCommand {
    /** The launcher's path; a node is one more call of it. */
    private static final String LAUNCHER = "godwit.launcher";

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "1883",
            description = "the first of 24 ports, used by HAProxy (${DEFAULT-VALUE})")
    private int port;

    /** Null until the nodes are ready. */
    private volatile @Nullable DemoWatch watcher;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        if (spec != null && (port < 1 || port > DemoPlan.PORT_MAX)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "--port takes 1..65000, the first of 24 ports, not '" + port + "'");
        }
        String launcher = System.getProperty(LAUNCHER);
        if (launcher == null) {
            throw new StartFailed("start the demo with the launcher: ./godwit cluster demo");
        }
        DemoPlan plan = new DemoPlan(port, Files.createTempDirectory("godwit-demo"));
        DemoProcesses processes = new DemoProcesses(plan.folder());
        Thread onSignal = new Thread(() -> endOnSignal(processes), "demo-end");
        Runtime.getRuntime().addShutdownHook(onSignal);
        int exitCode;
        try {
            System.err.println("godwit: starting three nodes; their logs are in " + plan.folder());
            run(plan, processes, launcher, out);
        } finally {
            exitCode = end(processes);
            if (forget(onSignal)) {
                System.err.println("godwit: every node has ended");
            }
        }
        return exitCode;
    }

    /**
     * Ends the load, then the nodes.
     *
     * @return the exit code: 1 when a message is lost
     */
    private synchronized int end(DemoProcesses processes) {
        DemoWatch watch = watcher;
        if (watch == null) {
            processes.end(List::of);
            return 0;
        }
        watcher = null; // who waited for this has nothing left to do
        CheckingLoad.Counts counts = watch.stop();
        processes.end(watch::startedByOthers);
        return counts.lost() == 0 ? 0 : 1;
    }

    /** False when it runs: then it says how the process ends. */
    private static boolean forget(Thread onSignal) {
        try {
            return Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException signalled) {
            return false;
        }
    }

    private void run(DemoPlan plan, DemoProcesses processes, String launcher, PrintStream out)
            throws StartFailed, IOException, InterruptedException {
        List<Process> nodes = new ArrayList<>();
        for (int node = 1; node <= DemoPlan.NODES; node++) {
            Path config = Files.writeString(plan.config(node), plan.configText(node));
            nodes.add(
                    processes.start(
                            plan.log(DemoPlan.name(node)),
                            launcher,
                            "run",
                            "--config",
                            config.toString()));
        }
        for (int node = 1; node <= DemoPlan.NODES; node++) {
            String name = DemoPlan.name(node);
            DemoProcesses.awaitReady(name, nodes.get(node - 1), plan.log(name));
        }
        boolean isBalanced = startBalancer(plan, processes);
        out.println(plan.explain(launcher, nodes.stream().map(Process::pid).toList(), isBalanced));
        out.flush();
        CheckingLoad load = new CheckingLoad(plan.loadNodes());
        load.start();
        DemoWatch watch = new DemoWatch(plan, launcher, nodes, load, out);
        watcher = watch;
        watch.awaitEnd();
    }

    private static boolean startBalancer(DemoPlan plan, DemoProcesses processes)
            throws StartFailed, IOException {
        Optional<Path> program = onPath("haproxy");
        if (program.isEmpty()) {
            return false;
        }
        Path config = Files.writeString(plan.folder().resolve("haproxy.cfg"), plan.balancerText());
        processes.start(
                plan.log("haproxy"), program.get().toString(), "-f", config.toString(), "-db");
        return true;
    }

    private static Optional<Path> onPath(String program) {
        // Servers stand in sbin, which a user's PATH may lack.
        return Stream.of((System.getenv().getOrDefault("PATH", "") + ":/usr/sbin").split(":"))
                .map(each -> Path.of(each, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Ctrl-C is the orderly end, while the JVM would report 130. */
    private void endOnSignal(DemoProcesses processes) {
        int exitCode = end(processes);
        System.err.println("godwit: the demo has ended");
        Runtime.getRuntime().halt(exitCode);
    }
}
