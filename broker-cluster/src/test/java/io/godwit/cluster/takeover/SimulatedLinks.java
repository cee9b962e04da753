package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.simulation.Scheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Links between nodes: what is said arrives in order, later, or is lost when a link breaks; the two
 * ends of a link learn of its end at different times, and it is open again only when both have.
 */
final class SimulatedLinks {
    /** What is said has come after so long, or is lost. */
    static final int DELAY_MAX_MICROS = 45_000;

    /** One end of a link. */
    interface End {
        NodeStart self();

        boolean isUp();

        void onLinked(NodeStart peer);

        void onUnlinked(NodeStart peer);

        void onMessage(NodeStart from, TakeoverMessage message);
    }

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final int delayMicros;
    private final Map<Integer, End> ends = new HashMap<>();
    private final Map<Long, Link> links = new HashMap<>();
    private final Map<Long, Boolean> cuts = new HashMap<>();

    /** From one node to another, as long as both ends hold it for open. */
    private static final class Link {
        final NodeStart a;
        final NodeStart b;
        final boolean[] known = new boolean[2];
        final long[] lastAt = new long[2];
        final boolean[] broken = new boolean[2];
        final boolean[] forgotten = new boolean[2];
        boolean over;

        Link(NodeStart a, NodeStart b) {
            this.a = a;
            this.b = b;
        }

        int side(int server) {
            return server == a.server() ? 0 : 1;
        }
    }

    SimulatedLinks(Scheduler scheduler, RandomGenerator random, int delayMicros) {
        this.scheduler = scheduler;
        this.random = random;
        this.delayMicros = delayMicros;
    }

    private static long key(int a, int b) {
        return (long) Math.min(a, b) << 32 | Math.max(a, b);
    }

    /** A node has started. */
    void up(End end) {
        ends.put(end.self().server(), end);
        for (End other : ends.values()) {
            open(end.self().server(), other.self().server());
        }
    }

    /** It has died: what it has sent is on its way. */
    void down(int server) {
        ends.remove(server);
        for (Link link : links.values().toArray(Link[]::new)) {
            if (link.a.server() == server || link.b.server() == server) {
                end(link);
            }
        }
    }

    private void open(int a, int b) {
        if (a == b || cuts.getOrDefault(key(a, b), false) || links.containsKey(key(a, b))) {
            return;
        }
        End first = ends.get(Math.min(a, b));
        End second = ends.get(Math.max(a, b));
        if (first == null || second == null) {
            return;
        }
        Link link = new Link(first.self(), second.self());
        links.put(key(a, b), link);
        hello(link, 0, second);
        hello(link, 1, first);
    }

    private void hello(Link link, int from, End to) {
        NodeStart peer = from == 0 ? link.a : link.b;
        later(
                link,
                from,
                () -> {
                    link.known[1 - from] = true;
                    to.onLinked(peer);
                });
    }

    /** In the order of what goes that way; lost when the link breaks. */
    private void later(Link link, int from, Runnable what) {
        long at = scheduler.micros() + 1 + random.nextInt(delayMicros);
        at = Math.max(at, link.lastAt[from] + 1);
        link.lastAt[from] = at;
        NodeStart to = from == 0 ? link.b : link.a;
        scheduler.in(
                at - scheduler.micros(),
                () -> {
                    End end = ends.get(to.server());
                    boolean isOpen = link.known[1 - from] || !link.over;
                    if (!link.broken[from] && isOpen && end != null && end.self().equals(to)) {
                        what.run();
                    }
                });
    }

    void send(NodeStart from, int to, TakeoverMessage message) {
        Link link = links.get(key(from.server(), to));
        int side = link == null ? 0 : link.side(from.server());
        if (link == null || !link.known[side]) {
            return;
        }
        later(
                link,
                side,
                () -> {
                    if (link.known[1 - side]) {
                        Objects.requireNonNull(ends.get(to)).onMessage(from, message);
                    }
                });
    }

    /** Nothing arrives any more: in both directions, or in one. */
    void cut(int a, int b, boolean oneWay) {
        cuts.put(key(a, b), true);
        Link link = links.get(key(a, b));
        if (link != null) {
            int side = random.nextInt(2);
            link.broken[side] = true;
            link.broken[1 - side] |= !oneWay;
            end(link);
        }
    }

    void heal(int a, int b) {
        if (cuts.remove(key(a, b)) != null) {
            open(a, b);
        }
    }

    void healAll() {
        for (Long each : cuts.keySet().toArray(Long[]::new)) {
            heal((int) (each >>> 32), (int) (long) each);
        }
    }

    /** Each end learns of it some time; then there may be another one. */
    private void end(Link link) {
        if (link.over) {
            return;
        }
        link.over = true;
        scheduler.in(random.nextInt(300_000), () -> forget(link, 0));
        scheduler.in(random.nextInt(300_000), () -> forget(link, 1));
    }

    private void forget(Link link, int side) {
        NodeStart self = side == 0 ? link.a : link.b;
        NodeStart peer = side == 0 ? link.b : link.a;
        link.broken[1 - side] = true;
        End end = ends.get(self.server());
        if (link.known[side] && end != null && end.self().equals(self)) {
            end.onUnlinked(peer);
        }
        link.known[side] = false;
        link.forgotten[side] = true;
        if (link.forgotten[1 - side]) {
            links.remove(key(self.server(), peer.server()), link);
            scheduler.in(random.nextInt(50_000), () -> open(self.server(), peer.server()));
        }
    }

    boolean isLinked(int a, int b) {
        Link link = links.get(key(a, b));
        return link != null && !link.over && link.known[0] && link.known[1];
    }
}
