package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Filling;
import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Question: is a session at once usable where its client comes back, whatever waits for it, and
 * complete? Command: {@code benchmarks/scenarios/run cluster-moves}: 1 000 times the client of a
 * durable session with 1, 10, 100, 1 000 or 10 000 queued messages (half QoS 1, half QoS 2)
 * connects to another of three nodes. Ten such sessions take turns. While one moves and is drained,
 * its topic gets live messages of both QoS at each of the nodes; beside it a pair for each two
 * nodes has an even rate of QoS 1 messages all the time. Four of five times the client leaves with
 * half of its queue, in the middle of its acknowledgements; the fifth time it takes all.
 *
 * <p>With {@code --pause-ms} there is a time before the sessions move on once more: within {@code
 * cluster.peer-timeout} after a move two former homes have something of a session.
 *
 * <p>Each stream must be complete and in order at the end, and no message of QoS 2 may come twice.
 * The first message is timed from the begin of the TCP connection.
 */
final class Moves implements ClusterScenario {
    private static final int NODES = 3;
    private static final int[] LENGTHS = {1, 10, 100, 1_000, 10_000};
    private static final double BOUND_MS = 50;
    private static final int PROGRESS_EVERY = 50;

    /** To the first message, by length. */
    private final Map<Integer, Histogram> firstMicros = new TreeMap<>();

    private final List<MovingSession> sessions = new ArrayList<>();
    private int moved;

    @Override
    public String name() {
        return "cluster-moves";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("times", "1000", "sessions", "10", "rate", "1000", "pause-ms", "0");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        int times = options.number("times");
        try (Nodes cluster = Nodes.start(options, folder, NODES);
                Beside beside = new Beside(cluster, options.number("rate"))) {
            for (int i = 0; i < options.number("sessions"); i++) {
                sessions.add(new MovingSession(cluster, i));
            }
            while (moved < times) {
                round(times);
                Filling.pause(options.number("pause-ms"));
            }
            for (MovingSession session : sessions) session.finish();
            beside.end();
        } catch (IOException e) {
            sessions.forEach(session -> System.err.println(session.describe()));
            throw e;
        } finally {
            print();
        }
    }

    /** Each session moves once, all with the same length of the queue. */
    private void round(int times) throws IOException {
        int turn = moved / sessions.size();
        int length = LENGTHS[turn % LENGTHS.length];
        boolean all = length == LENGTHS[LENGTHS.length - 1];
        for (MovingSession session : sessions) {
            if (moved >= times) return;
            long nanos = session.move(length, all);
            firstMicros.computeIfAbsent(length, any -> new Histogram(3)).recordValue(nanos / 1_000);
            if (++moved % PROGRESS_EVERY == 0) {
                System.err.printf(
                        Locale.ROOT, "%s: %d moves, %s%n", name(), moved, Account.of(sessions));
            }
        }
    }

    private void print() {
        Account account = Account.of(sessions);
        Outcome.head();
        Outcome.row(
                name(),
                moved + " moves: " + account.published() + " messages, missing",
                "" + account.missing(),
                "0",
                account.missing() == 0);
        Outcome.row(name(), "QoS 2 twice", "" + account.repeated(), "0", account.repeated() == 0);
        Outcome.row(
                name(), "out of order", "" + account.disordered(), "0", account.disordered() == 0);
        firstMicros.forEach(this::print);
    }

    private void print(int length, Histogram micros) {
        if (micros.getTotalCount() == 0) return;
        double median = micros.getValueAtPercentile(50) / 1e3;
        Outcome.row(
                name(),
                "ms to the first message of "
                        + length
                        + ", p50 / p99 / most of "
                        + micros.getTotalCount(),
                String.format(
                        Locale.ROOT,
                        "%.1f / %.1f / %.1f",
                        median,
                        micros.getValueAtPercentile(99) / 1e3,
                        micros.getMaxValue() / 1e3),
                "p50 <= 50",
                median <= BOUND_MS);
    }

    /** What is wrong with the histories of all sessions. */
    record Account(long published, long missing, long repeated, long disordered) {
        static Account of(List<MovingSession> sessions) {
            long published = 0;
            long missing = 0;
            long repeated = 0;
            long disordered = 0;
            for (MovingSession session : sessions) {
                for (Feed feed : session.feeds()) {
                    History history = session.history(feed);
                    published += feed.published();
                    if (session.isFinished()) missing += history.missing(feed.acknowledged());
                    repeated += history.repeated();
                    disordered += history.disordered();
                }
            }
            return new Account(published, missing, repeated, disordered);
        }
    }
}
