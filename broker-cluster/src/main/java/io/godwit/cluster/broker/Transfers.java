package io.godwit.cluster.broker;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which copy sets this node gives to their followers in order: all of them while it drains;
 * else, if it serves more slots with sessions than any other node, one set now and then to the node
 * that serves the fewest, while no node drains. Where sets have no copies, that node gets one
 * first. A set is given only if the giver does not serve less than the receiver afterwards, so none
 * goes back and forth. On the shard that owns the topic index.
 */
final class Transfers {
    private static final Logger LOG = LoggerFactory.getLogger(Transfers.class);

    /** How often it is looked at. */
    static final long LOOK_MS = 200;

    /** A set that was given or taken to balance nodes stays for so long. */
    static final long STAYS_MS = 600_000;

    /** After a set was given, nodes have told within this time what they serve now. */
    static final long QUIET_MS = 5_000;

    /** While this node drains, a set that a follower did not take is served for so long. */
    static final long AGAIN_MS = 2_000;

    /** Knows the nodes of the cluster, what they lead, and which of them drain. */
    interface Members {
        /** Whether a node is to lead nothing. */
        boolean isDraining(int server);

        /** Returns the nodes that are live and have told what they lead and have, this one too. */
        Map<Integer, NodeStart> heard();

        /** Whether every live member has told who leads which slots. */
        boolean knowsTables();

        /** Returns the slots that a node leads; the caller may change the set. */
        BitSet ledBy(int server);

        /** Returns the slots that a node leads and has durable sessions in. */
        BitSet served(int server);
    }

    /** The copies of this node's queues. */
    interface Copies {
        /** Whether all copy sets have as many whole copies as are wanted. */
        boolean areWhole();

        /** Whether copy sets were given that no follower has taken over yet. */
        boolean isGiving();

        /** Gives copy sets to their first followers that may lead. Returns those that are given. */
        BitSet give(BitSet copySets, IntPredicate mayLead);

        /**
         * Copies a set to the node that is to get it, where sets have no copies.
         *
         * @param next null: none is to go
         */
        void copyFirst(@Nullable Move next);
    }

    /** A copy set that is to go to another node. */
    record Move(int copySet, int receiver) {}

    private record Since(NodeStart start, long ms) {}

    private final int self;
    private final long rebalanceAfterMs;
    private final Members members;
    private final Copies copies;

    /** Since when each node has been heard in its present start. */
    private final Map<Integer, Since> since = new HashMap<>();

    /** By copy set: until when it stays here. */
    private final long[] staysUntilMs = new long[CopySets.LAST + 1];

    /** By copy set: when it may be given again if the follower has withdrawn. */
    private final long[] againMs = new long[CopySets.LAST + 1];

    /** The set that is to go next, when its receiver has it; null: none. */
    private @Nullable Move next;

    private long quietUntilMs;
    private long nowMs;

    /** The copy sets with sessions that this node leads while it drains; null: it does not. */
    private volatile @Nullable BitSet left;

    /**
     * @param self server id of this node
     * @param rebalanceAfterMs a node that has been there for so long may get sets; 0: never
     */
    Transfers(int self, long rebalanceAfterMs, Members members, Copies copies) {
        this.self = self;
        this.rebalanceAfterMs = rebalanceAfterMs;
        this.members = members;
        this.copies = copies;
    }

    /**
     * Returns the copy sets with sessions that this node still leads while it drains; null while it
     * does not. Any thread; not to be changed.
     */
    @Nullable BitSet left() {
        return left;
    }

    /**
     * Notes that this node takes copy sets over.
     *
     * @param leader server id of the node that led them
     */
    void took(int leader, BitSet copySets) {
        if (members.heard().containsKey(leader) && !members.isDraining(leader)) {
            copySets.stream().forEach(set -> staysUntilMs[set] = nowMs + STAYS_MS);
        }
    }

    /**
     * Time has passed.
     *
     * @param timeMs monotonic
     */
    void tick(long timeMs) {
        nowMs = timeMs;
        Map<Integer, NodeStart> heard = members.heard();
        since.keySet().retainAll(heard.keySet());
        heard.forEach((server, start) -> {
            Since before = since.get(server);
            if (before == null || !before.start.equals(start)) {
                since.put(server, new Since(start, nowMs));
            }
        });
        if (members.isDraining(self)) {
            next(null);
            giveAll(heard);
            left = CopySets.ofSlots(members.served(self));
            return;
        }
        left = null;
        if (copies.isGiving()) {
            quietUntilMs = nowMs + QUIET_MS;
        } else if (rebalanceAfterMs > 0
                && heard.keySet().stream().noneMatch(members::isDraining)
                && nowMs >= quietUntilMs
                && isSteady(self)
                && members.knowsTables()
                && copies.areWhole()) {
            rebalance(heard);
        }
    }

    private void giveAll(Map<Integer, NodeStart> heard) {
        BitSet copySets = CopySets.ofSlots(members.ledBy(self));
        for (int set = 1; set < againMs.length; set++) {
            copySets.set(set, copySets.get(set) && nowMs >= againMs[set]);
        }
        copies.give(copySets, server -> mayLead(heard, server)).stream()
                .forEach(set -> againMs[set] = nowMs + AGAIN_MS);
    }

    private boolean mayLead(Map<Integer, NodeStart> heard, int server) {
        return heard.containsKey(server) && !members.isDraining(server);
    }

    private boolean isSteady(int server) {
        Since of = since.get(server);
        return of != null && nowMs - of.ms >= rebalanceAfterMs;
    }

    private void rebalance(Map<Integer, NodeStart> heard) {
        BitSet own = members.served(self);
        Map<Integer, Integer> counts = new HashMap<>();
        heard.keySet().stream()
                .filter(server -> server != self)
                .forEach(server -> counts.put(server, members.served(server).cardinality()));
        boolean hasMost =
                counts.entrySet().stream()
                        .allMatch(each ->
                                each.getValue() < own.cardinality()
                                        || each.getValue() == own.cardinality()
                                                && each.getKey() > self);
        if (!hasMost) {
            next(null);
            return;
        }
        List<Integer> receivers = new ArrayList<>(counts.keySet());
        receivers.sort(
                Comparator.<Integer>comparingInt(counts::get).thenComparingInt(each -> each));
        List<Move> moves = new ArrayList<>();
        for (int receiver : receivers) {
            int more = own.cardinality() - counts.getOrDefault(receiver, 0);
            if (isSteady(receiver)) {
                moves.addAll(moves(own, more / 2, receiver));
            }
        }
        if (moves.stream().noneMatch(this::isGiven) && !moves.contains(next)) {
            next(moves.isEmpty() ? null : moves.getFirst());
        }
    }

    /** Has a set copied first that is to go, where it has no copies. */
    private void next(@Nullable Move move) {
        next = move;
        copies.copyFirst(move);
    }

    /**
     * Returns to whom the copy sets may go that have at most so many slots with sessions, the
     * largest first.
     */
    private List<Move> moves(BitSet own, int most, int receiver) {
        int[] sizes = new int[CopySets.LAST + 1];
        own.stream().forEach(slot -> sizes[CopySets.ofSlot(slot)]++);
        return IntStream.rangeClosed(1, CopySets.LAST)
                .filter(set -> sizes[set] > 0 && sizes[set] <= most)
                .filter(set -> nowMs >= staysUntilMs[set])
                .boxed()
                .sorted(Comparator.comparingInt(set -> -sizes[set]))
                .map(set -> new Move(set, receiver))
                .toList();
    }

    /** Gives a set if its receiver has it. */
    private boolean isGiven(Move move) {
        BitSet one = new BitSet();
        one.set(move.copySet);
        if (copies.give(one, server -> server == move.receiver).isEmpty()) {
            return false;
        }
        LOG.info(
                "Rebalancing: copy set {} goes to node {}, which serves fewer sessions",
                move.copySet,
                move.receiver);
        staysUntilMs[move.copySet] = nowMs + STAYS_MS;
        quietUntilMs = nowMs + QUIET_MS;
        return true;
    }
}
