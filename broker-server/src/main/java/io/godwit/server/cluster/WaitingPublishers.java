package io.godwit.server.cluster;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells operators which node out of reach publishers wait for, and how many do: as a metric, and in
 * a log line when they begin to wait and when nobody does any more. Of a node that comes and goes
 * it logs at most once a minute that they begin to. One thread, but for {@link #bind}.
 */
final class WaitingPublishers {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingPublishers.class);
    private static final long LINE_MS = 60_000;

    /** Receives the lines. */
    interface Lines {
        /** Publishers wait for a node. */
        void begun(String node, int publishers);

        /**
         * No publisher waits for a node any more.
         *
         * @param most that have waited at one moment
         */
        void ended(String node, int most, long seconds);
    }

    /** Publishers that wait for one node. */
    private static final class Wait {
        final String node;
        final long sinceMs;
        int most;
        boolean isLogged;

        Wait(String node, long sinceMs) {
            this.node = node;
            this.sinceMs = sinceMs;
        }
    }

    private final Consumer<Consumer<Map<Integer, Integer>>> search;
    private final Supplier<Map<Integer, String>> others;
    private final Lines lines;
    private final Map<Integer, Wait> waits = new HashMap<>();

    /** By server id, when the last line was logged that says that publishers wait. */
    private final Map<Integer, Long> loggedMs = new HashMap<>();

    private boolean isSearching;
    private Map<String, Integer> shown = Map.of();
    private volatile @Nullable MultiGauge gauge;

    /**
     * @param search counts who waits, and tells it later on this thread, by server id
     * @param others names of the other members, by server id
     */
    WaitingPublishers(
            Consumer<Consumer<Map<Integer, Integer>>> search,
            Supplier<Map<Integer, String>> others,
            Lines lines) {
        this.search = search;
        this.others = others;
        this.lines = lines;
    }

    /** Writes the lines to the log. */
    static Lines log() {
        return new Lines() {
            @Override
            public void begun(String node, int publishers) {
                LOG.warn(
                        "{} for node {}: it is out of reach, and has durable subscribers of what"
                                + " they publish. Start it again; if it never comes back, forget"
                                + " it: godwit cluster forget {}",
                        publishers == 1 ? "1 publisher waits" : publishers + " publishers wait",
                        node,
                        node);
            }

            @Override
            public void ended(String node, int most, long seconds) {
                LOG.info(
                        "No publisher waits for node {} any more, after {} s; at most {} did",
                        node,
                        seconds,
                        most);
            }
        };
    }

    /** Registers the metric: one value for each other member. */
    void bind(MeterRegistry to) {
        gauge =
                MultiGauge.builder("godwit.cluster.waiting.publishers")
                        .description(
                                "Connected publishers with a QoS 1/2 message that is not"
                                        + " acknowledged because a node with durable subscribers"
                                        + " is out of reach.")
                        .register(to);
    }

    /** Has the publishers counted, unless that is still being done. */
    void look(long nowMs) {
        if (!isSearching) {
            isSearching = true;
            search.accept(counts -> {
                isSearching = false;
                found(counts, nowMs);
            });
        }
    }

    private void found(Map<Integer, Integer> counts, long nowMs) {
        Map<Integer, String> members = others.get();
        show(counts, members);
        loggedMs.keySet().retainAll(members.keySet());
        Set<Integer> servers = new HashSet<>(waits.keySet());
        counts.keySet().stream().filter(members::containsKey).forEach(servers::add);
        for (int each : servers) {
            Wait wait =
                    waits.computeIfAbsent(
                            each, any -> new Wait(members.getOrDefault(each, ""), nowMs));
            int waiting = counts.getOrDefault(each, 0);
            if (waiting == 0) {
                end(each, wait, nowMs);
            } else {
                goOn(each, wait, waiting, nowMs);
            }
        }
    }

    private void goOn(int server, Wait wait, int waiting, long nowMs) {
        wait.most = Math.max(wait.most, waiting);
        Long before = loggedMs.get(server);
        if (!wait.isLogged && (before == null || nowMs - before >= LINE_MS)) {
            wait.isLogged = true;
            loggedMs.put(server, nowMs);
            lines.begun(wait.node, waiting);
        }
    }

    private void end(int server, Wait wait, long nowMs) {
        waits.remove(server);
        if (wait.isLogged) {
            lines.ended(wait.node, wait.most, (nowMs - wait.sinceMs) / 1_000);
        }
    }

    private void show(Map<Integer, Integer> counts, Map<Integer, String> members) {
        MultiGauge to = gauge;
        Map<String, Integer> now = new HashMap<>();
        members.forEach((server, name) -> now.put(name, counts.getOrDefault(server, 0)));
        if (to != null && !now.equals(shown)) {
            shown = now;
            List<MultiGauge.Row<?>> rows = new ArrayList<>();
            now.forEach((name, count) -> rows.add(MultiGauge.Row.of(Tags.of("node", name), count)));
            to.register(rows, true);
        }
    }
}
