package io.godwit.cluster.registration;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Links between model nodes: messages arrive in order, later, or not when the link breaks; a link
 * that opens again between two starts tells what has arrived. A link may also stand still.
 */
final class ModelLinks {
    private static final int DELAY_MICROS = 20_000;
    private static final int NOTICE_MICROS = 100_000;

    private final Scheduler scheduler;
    private final SplittableRandom random;
    private final long peerTimeoutMicros;
    private final Map<Integer, ModelNode> nodes = new TreeMap<>();
    private final Map<Long, Pair> pairs = new HashMap<>();

    /** By sender and receiver: by which link of the sender, and up to where, something came. */
    private final Map<List<NodeStart>, long[]> received = new HashMap<>();

    private long lastNumber;

    ModelLinks(Scheduler scheduler, SplittableRandom random, long peerTimeoutMs) {
        this.scheduler = scheduler;
        this.random = random;
        this.peerTimeoutMicros = peerTimeoutMs * 1000;
    }

    private static final class Pair {
        boolean isCut;
        boolean isOpening;
        End[] ends = {};
        long stalledSince;
        long stalledUntil;
    }

    /** One end of a link. */
    private final class End implements PeerLink {
        final ModelNode owner;
        final ModelNode other;
        final long number = ++lastNumber;
        final List<Unconfirmed> unconfirmed = new ArrayList<>();

        /** Holds what is to be run at the other end, in order. */
        private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();

        long position;
        long lastAt;
        boolean isOver;
        boolean isKnown;

        End(ModelNode owner, ModelNode other) {
            this.owner = owner;
            this.other = other;
        }

        @Override
        public NodeStart peer() {
            return other.self;
        }

        @Override
        public Endpoint endpoint() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long number() {
            return number;
        }

        @Override
        public LinkState state() {
            return isOver ? LinkState.DOWN : LinkState.UP;
        }

        @Override
        public int protocol() {
            return 1;
        }

        @Override
        public boolean offer(Outgoing message) {
            if (isOver) {
                return false;
            }
            long at = ++position;
            unconfirmed.add(new Unconfirmed(number, at, message));
            ByteWriter to = new ByteWriter(64);
            message.write(to, 1);
            byte[] body = to.toBytes();
            later(() -> arrive(at, message, body));
            return true;
        }

        /** In order. */
        void later(Runnable task) {
            Pair pair = pair(owner.server, other.server);
            long at = scheduler.micros() + 1 + random.nextInt(DELAY_MICROS);
            at = Math.max(Math.max(at, lastAt + 1), pair.stalledUntil);
            lastAt = at;
            underWay.add(task);
            scheduler.in(at - scheduler.micros(), () -> next(pair));
        }

        private void next(Pair pair) {
            if (pair.stalledUntil > scheduler.micros()) {
                long at = scheduler.micros() + 1 + random.nextInt(DELAY_MICROS);
                at = Math.max(at, pair.stalledUntil);
                lastAt = Math.max(lastAt, at);
                scheduler.in(at - scheduler.micros(), () -> next(pair));
            } else {
                underWay.remove().run();
            }
        }

        void arrive(long at, Outgoing message, byte[] body) {
            End back = facing();
            if (back == null || back.isOver || !other.isUp) {
                return;
            }
            received.put(List.of(owner.self, other.self), new long[] {number, at});
            other.registration.onMessage(back, message.type(), new ByteReader(body), body.length);
            scheduler.in(
                    random.nextInt(DELAY_MICROS),
                    () -> {
                        if (!isOver) {
                            unconfirmed.removeIf(each -> each.position() <= at);
                        }
                    });
        }

        /** The other end; null when the link has ended. */
        private @Nullable End facing() {
            End[] ends = pair(owner.server, other.server).ends;
            if (ends.length == 0 || ends[0] != this && ends[1] != this) {
                return null;
            }
            return ends[0] == this ? ends[1] : ends[0];
        }

        void end() {
            if (!isOver) {
                isOver = true;
                if (isKnown && owner.isUp) {
                    owner.registration.onDown(this, List.copyOf(unconfirmed));
                }
            }
        }

        @Override
        public boolean hasRoom(TrafficClass traffic) {
            return true;
        }

        @Override
        public long waitingBytes(TrafficClass traffic) {
            return 0;
        }

        @Override
        public long receivedBytes(TrafficClass traffic) {
            return 0;
        }

        @Override
        public void taken(TrafficClass traffic, int length) {}

        @Override
        public long localMs(long peerMs) {
            return owner.localMs(other.microsAt(peerMs));
        }

        @Override
        public void broken() {
            throw new IllegalStateException("unreadable");
        }
    }

    private Pair pair(int a, int b) {
        return pairs.computeIfAbsent(
                (long) Math.min(a, b) << 32 | Math.max(a, b), any -> new Pair());
    }

    void up(ModelNode node) {
        nodes.put(node.server, node);
        for (ModelNode each : nodes.values()) {
            if (each != node) {
                open(each.server, node.server);
            }
        }
    }

    /** The process has ended; the others notice soon. */
    void down(ModelNode node) {
        for (ModelNode each : nodes.values()) {
            if (each != node) {
                end(pair(each.server, node.server));
            }
        }
    }

    private void open(int a, int b) {
        Pair pair = pair(a, b);
        if (pair.isCut || pair.isOpening || pair.ends.length > 0) {
            return;
        }
        pair.isOpening = true;
        scheduler.in(
                1 + random.nextInt(NOTICE_MICROS),
                () -> {
                    pair.isOpening = false;
                    ModelNode first = nodes.get(a);
                    ModelNode second = nodes.get(b);
                    if (first == null || second == null) {
                        return;
                    }
                    if (pair.isCut || !first.isUp || !second.isUp) {
                        return;
                    }
                    End one = new End(first, second);
                    End two = new End(second, first);
                    pair.ends = new End[] {one, two};
                    long[] none = new long[2];
                    Resumed toOne = resumed(first, second, none);
                    Resumed toTwo = resumed(second, first, none);
                    one.isKnown = true;
                    two.isKnown = true;
                    first.registration.onUp(one, toOne);
                    second.registration.onUp(two, toTwo);
                    first.linked(second);
                    second.linked(first);
                });
    }

    private Resumed resumed(ModelNode sender, ModelNode receiver, long[] none) {
        long[] got = received.getOrDefault(List.of(sender.self, receiver.self), none);
        return new Resumed(got[0], 0, 0, got[1], 0);
    }

    private void end(Pair pair) {
        End[] ends = pair.ends;
        if (ends.length == 0) {
            return;
        }
        // No more arrives from now on; each end learns of it when it does.
        for (End each : ends) {
            each.lastAt = Long.MAX_VALUE / 4;
        }
        pair.ends = new End[0];
        pair.isOpening = true;
        scheduler.in(random.nextInt(NOTICE_MICROS), ends[0]::end);
        scheduler.in(random.nextInt(NOTICE_MICROS), ends[1]::end);
        scheduler.in(
                NOTICE_MICROS,
                () -> {
                    pair.isOpening = false;
                    open(ends[0].owner.server, ends[1].owner.server);
                });
    }

    void cut(int a, int b) {
        Pair pair = pair(a, b);
        pair.isCut = true;
        end(pair);
    }

    void heal(int a, int b) {
        pair(a, b).isCut = false;
        open(a, b);
    }

    boolean isCut(int a, int b) {
        return pair(a, b).isCut;
    }

    /** Whether what one node tells another arrives now. */
    boolean isLinked(int a, int b) {
        Pair pair = pair(a, b);
        return pair.ends.length > 0 && pair.stalledUntil <= scheduler.micros();
    }

    /** Whether two nodes hold each other for live: a link is open, and not silent. */
    boolean areLive(int a, int b) {
        Pair pair = pair(a, b);
        boolean isSilent =
                pair.stalledUntil > scheduler.micros()
                        && scheduler.micros() - pair.stalledSince >= peerTimeoutMicros;
        return pair.ends.length > 0 && !isSilent;
    }

    /** Has a link stand still; after a while both ends hold the other for silent. */
    void stall(int a, int b, long micros) {
        Pair pair = pair(a, b);
        End[] ends = pair.ends;
        if (ends.length == 0 || pair.stalledUntil > scheduler.micros()) {
            return;
        }
        pair.stalledSince = scheduler.micros();
        pair.stalledUntil = scheduler.micros() + micros;
        if (micros > peerTimeoutMicros) {
            scheduler.in(peerTimeoutMicros, () -> silent(ends, true));
            scheduler.in(micros, () -> silent(ends, false));
        }
    }

    private static void silent(End[] ends, boolean isSilent) {
        for (End each : ends) {
            if (!each.isOver && each.lastAt < Long.MAX_VALUE / 4 && each.owner.isUp) {
                if (isSilent) {
                    each.owner.registration.onSilent(each);
                } else {
                    each.owner.registration.onHeard(each);
                }
            }
        }
    }

    void healAll() {
        for (ModelNode a : nodes.values()) {
            for (ModelNode b : nodes.values()) {
                if (a.server < b.server && isCut(a.server, b.server)) {
                    heal(a.server, b.server);
                }
            }
        }
    }
}
