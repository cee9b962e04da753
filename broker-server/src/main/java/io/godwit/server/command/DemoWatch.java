package io.godwit.server.command;

import io.godwit.server.StartFailed;
import io.godwit.server.client.CheckingLoad;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Says when a node of the demo has ended or is back, and how its checking load fares. */
final class DemoWatch {
    private static final long LOOK_MS = 250;
    private static final int CONNECT_MS = 500;

    /** Who waits for an acknowledgement for less than this has met no outage. */
    private static final Duration NO_OUTAGE = Duration.ofSeconds(1);

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** From an event to the next report: the sessions of a node have been taken over by then. */
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(12);

    /** A node: the process that the demo started, or one that somebody started in its place. */
    private static final class Watched {
        private final int node;
        private final Process first;
        private boolean isUp = true;
        private boolean isReplaced;

        private Watched(int node, Process first) {
            this.node = node;
            this.first = first;
        }
    }

    private final DemoPlan plan;
    private final String launcher;
    private final CheckingLoad load;
    private final PrintStream out;
    private final List<Watched> nodes = new ArrayList<>();
    private volatile long nextReportNanos = System.nanoTime() + SETTLE_NANOS;
    private volatile boolean isStopped;

    DemoWatch(
            DemoPlan plan,
            String launcher,
            List<Process> processes,
            CheckingLoad load,
            PrintStream out) {
        this.plan = plan;
        this.launcher = launcher;
        this.load = load;
        this.out = out;
        for (int i = 0; i < processes.size(); i++) {
            nodes.add(new Watched(i + 1, processes.get(i)));
        }
    }

    /** Watches until no node runs, or until {@link #stop}. */
    void awaitEnd() throws InterruptedException {
        while (!isStopped && nodes.stream().anyMatch(each -> each.isUp)) {
            for (Watched each : nodes) look(each);
            if (System.nanoTime() - nextReportNanos >= 0) report();
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    /** Ends the load with its last report, before the nodes are ended. */
    CheckingLoad.Counts stop() {
        isStopped = true;
        CheckingLoad.Counts counts = load.counts();
        load.close();
        print(sentence(counts, load.takeLongestWait()));
        return counts;
    }

    private void look(Watched node) throws InterruptedException {
        String name = DemoPlan.name(node.node);
        if (node.isUp && !runs(node)) {
            node.isUp = false;
            say(plan.explainEnd(node.node, launcher, endOf(node)));
        } else if (!node.isUp && isReady(node)) {
            node.isUp = true;
            node.isReplaced = true;
            say(name + " is back: it gets copies of the others' sessions, and takes clients.");
        }
    }

    private void say(String text) {
        if (isStopped) return; // the demo itself ends the nodes
        print("\n" + text);
        nextReportNanos = System.nanoTime() + SETTLE_NANOS;
    }

    private void print(String text) {
        out.println(text);
        out.flush();
    }

    private boolean runs(Watched node) {
        return node.isReplaced ? answers(node) : node.first.isAlive();
    }

    private static String endOf(Watched node) {
        return node.isReplaced
                ? "has ended"
                : "(process %d) has ended, exit code %d"
                        .formatted(node.first.pid(), node.first.exitValue());
    }

    private boolean answers(Watched node) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(DemoPlan.HOST, plan.adminPort(node.node)), CONNECT_MS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isReady(Watched node) throws InterruptedException {
        if (!answers(node)) return false;
        try {
            AdminPort admin = new AdminPort(plan.admin(node.node), null);
            return admin.get("/health/ready").statusCode() == 200;
        } catch (StartFailed e) {
            return false;
        }
    }

    private void report() {
        print(sentence(load.counts(), load.takeLongestWait()));
        nextReportNanos = System.nanoTime() + REPORT_NANOS;
    }

    /**
     * Says how many messages were acknowledged, how many of them are lost, and how long one has
     * waited at most.
     */
    static String sentence(CheckingLoad.Counts counts, Duration longestWait) {
        StringBuilder text = new StringBuilder("check: ");
        text.append(
                String.format(
                        Locale.ROOT,
                        "%,d acknowledged, %,d lost",
                        counts.acknowledged(),
                        counts.lost()));
        if (counts.onTheirWay() > 0) {
            text.append(", ").append(counts.onTheirWay()).append(" to be delivered");
        }
        if (counts.unacknowledged() > 0) {
            text.append("; ").append(counts.unacknowledged()).append(" not acknowledged yet");
        }
        if (longestWait.compareTo(NO_OUTAGE) >= 0) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "; the longest wait was %.1f s",
                            longestWait.toMillis() / 1000.0));
        }
        return text.toString();
    }

    /** Names of the nodes that somebody else has started, and that still run. */
    List<String> startedByOthers() {
        return nodes.stream()
                .filter(each -> each.isReplaced && answers(each))
                .map(each -> DemoPlan.name(each.node))
                .toList();
    }
}
