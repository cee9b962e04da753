package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.publish.SwitchOvers;
import io.godwit.cluster.replication.NodeCopies;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.store.CopySets;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the sessions of slots, and the queues of groups, that this node has taken over from a
 * leader that is gone, and has all sources switch over. One take-over after the other, on the shard
 * that owns the topic index.
 *
 * <pre>
 * gates     no message reaches sessions of the slots before its source has switched over
 * fence     of the former leader's stream nothing more is applied
 * adopt     copies become sessions, with their filters in the index
 * tell      all nodes hear of it, behind the filters; the own shards switch over
 * refill    the followers of this node get the queues
 * </pre>
 *
 * <p>The followers of its copy sets are whole again only after that: they lack what is adopted.
 * Queues of groups have no slots, and no gates: what comes for a group comes to members.
 */
final class TakeOvers {
    private static final Logger LOG = LoggerFactory.getLogger(TakeOvers.class);

    /** Within this time a take-over that was decided is on the disk, or nothing comes of it. */
    private static final long BEGINS_MS = 60_000;

    /**
     * A take-over.
     *
     * @param closing those of the slots that were not closed at the start: they are closed now
     * @param epoch of the slots; null of queues of groups
     */
    private record TakeOver(
            int from,
            BitSet slots,
            BitSet closing,
            @Nullable Epoch epoch,
            BitSet copySets,
            long startedMs,
            Runnable whenLoaded) {}

    private final Broker broker;
    private final BrokerShard owner;
    private final NodeStart self;
    private final List<ShardStreams> streams;
    private final NodeCopies copies;
    private final SwitchOvers switchOvers;
    private final ArrayDeque<TakeOver> waiting = new ArrayDeque<>(0);

    /**
     * By former leader: copy sets that nobody is whole in, since slots of them are to be loaded.
     */
    private final Map<Integer, BitSet> demoted = new HashMap<>();

    /**
     * Slots that were closed at the start, and have been led by no other node since: who had
     * entered them goes on to be let in when they are loaded again.
     */
    private final BitSet closedAtStart = new BitSet();

    /** How many there were in this start. */
    private int number;

    private @Nullable TakeOver running;

    /**
     * @param streams of all shards, by their index
     */
    TakeOvers(
            Broker broker,
            NodeStart self,
            List<ShardStreams> streams,
            NodeCopies copies,
            SwitchOvers switchOvers) {
        this.broker = broker;
        this.owner = broker.shard(TopicIndex.OWNER);
        this.self = self;
        this.streams = streams;
        this.copies = copies;
        this.switchOvers = switchOvers;
    }

    /**
     * Closes the gates of slots that this node has taken over in a former start: they are loaded
     * again. Called before there is a link.
     */
    void closeAtStart(BitSet slots) {
        closedAtStart.or(slots);
        number++;
        for (int i = 0; i < streams.size(); i++) {
            ShardStreams each = streams.get(i);
            broker.shard(i).execute(() -> each.closeAtStart(1, slots));
        }
    }

    /** Notes that another node leads a slot: if this one takes it over again, it is closed anew. */
    void onOtherLeader(int slot) {
        closedAtStart.clear(slot);
    }

    /**
     * Notes that slots of copy sets are about to be loaded, and that these sets are demoted.
     *
     * @param from server id of the former leader
     */
    void expect(int from, BitSet copySets) {
        BitSet before = demoted.computeIfAbsent(from, any -> new BitSet());
        BitSet twice = (BitSet) copySets.clone();
        twice.and(before);
        copies.refill(twice);
        before.or(copySets);
        owner.timers().arm(Timer.of(nowMs -> refillUnused(from)), owner.nowMs() + BEGINS_MS);
    }

    /** Ends the demotion of copy sets of which nothing is loaded. */
    private void refillUnused(int from) {
        BitSet unused = demoted.getOrDefault(from, new BitSet());
        unused.andNot(loading(from));
        refill(from, (BitSet) unused.clone());
    }

    /**
     * Loads the sessions of slots.
     *
     * @param from server id of the former leader
     * @param slots not to be changed
     * @param epoch under which this node leads them
     * @param whenLoaded run when this node may act for them
     */
    void takeOver(int from, BitSet slots, Epoch epoch, Runnable whenLoaded) {
        // Now: by the time that it runs another node may lead them.
        BitSet closing = (BitSet) slots.clone();
        closing.andNot(closedAtStart);
        BitSet copySets = CopySets.ofSlots(slots);
        add(new TakeOver(from, slots, closing, epoch, copySets, owner.nowMs(), whenLoaded));
    }

    /**
     * Adopts the queues of a leader's groups, which this node has taken over for good.
     *
     * @param from server id of the former leader
     */
    void takeOverGroups(int from) {
        BitSet groups = new BitSet();
        groups.set(CopySets.GROUPS);
        Runnable then = () -> copies.groupsAdopted(from);
        BitSet none = new BitSet();
        add(new TakeOver(from, none, none, null, groups, owner.nowMs(), then));
    }

    private void add(TakeOver made) {
        copies.demote(made.copySets, () -> {});
        waiting.add(made);
        next();
    }

    /** See {@link io.godwit.cluster.leadership.SlotUse#hasSwitched}. */
    boolean hasSwitched(int slot, Epoch epoch) {
        return epoch.from() == 0
                || epoch.server() == self.server()
                || switchOvers.hasSwitched(slot, epoch.server());
    }

    /** See {@link io.godwit.cluster.leadership.SlotUse#isLost}. */
    boolean isLost(int leader, int slot) {
        return copies.isLost(leader, slot);
    }

    private BitSet loading(int from) {
        BitSet copySets = new BitSet();
        waiting.stream()
                .filter(each -> each.from == from)
                .forEach(each -> copySets.or(each.copySets));
        TakeOver now = running;
        if (now != null && now.from == from) {
            copySets.or(now.copySets);
        }
        return copySets;
    }

    private void next() {
        TakeOver first = running == null ? waiting.poll() : null;
        if (first != null) {
            running = first;
            if (first.epoch == null) {
                adoptGroups(first);
            } else {
                number++;
                closeGates(first, first.closing, first.epoch, number, 0);
            }
        }
    }

    private void adoptGroups(TakeOver of) {
        copies.fenceForGroups(
                of.from,
                () ->
                        broker.adoptGroups(
                                of.from,
                                () -> {
                                    switchOvers.tookOverGroups(of.from);
                                    end(of);
                                }));
    }

    /** Goes from shard to shard. */
    private void closeGates(TakeOver of, BitSet closing, Epoch epoch, int takeover, int shard) {
        if (shard == streams.size()) {
            owner.execute(
                    () -> copies.fence(of.from, of.slots, () -> adopt(of, epoch, takeover, 1)));
            return;
        }
        broker.shard(shard)
                .execute(() -> {
                    streams.get(shard).close(takeover, closing);
                    closeGates(of, closing, epoch, takeover, shard + 1);
                });
    }

    private void adopt(TakeOver of, Epoch epoch, int takeover, int copySet) {
        if (copySet == CopySets.GROUPS) {
            switchOvers.tookOver(self, takeover, of.from, epoch.changes(), of.slots, () -> end(of));
            return;
        }
        BitSet only = new BitSet();
        only.set(copySet);
        BitSet slots = CopySets.slots(only);
        slots.and(of.slots);
        Runnable then = () -> adopt(of, epoch, takeover, copySet + 1);
        if (slots.isEmpty()) {
            then.run();
        } else {
            broker.adopt(of.from, copySet, slots, epoch.changes(), then);
        }
    }

    private void end(TakeOver of) {
        running = null;
        long tookMs = owner.nowMs() - of.startedMs;
        if (of.epoch == null) {
            LOG.info(
                    "Took over the queues of shared groups of node {}: after {} ms what waits in them"
                            + " goes to members",
                    of.from,
                    tookMs);
        } else {
            LOG.info(
                    "Took over {} slots of node {}: after {} ms all its sessions with copies here are served",
                    of.slots.cardinality(),
                    of.from,
                    tookMs);
        }
        BitSet copySets = (BitSet) of.copySets.clone();
        copies.refill(copySets);
        copySets.and(demoted.getOrDefault(of.from, new BitSet()));
        copySets.andNot(loading(of.from));
        refill(of.from, copySets);
        of.whenLoaded.run();
        next();
    }

    private void refill(int from, BitSet copySets) {
        if (!copySets.isEmpty()) {
            demoted.getOrDefault(from, new BitSet()).andNot(copySets);
            copies.refill(copySets);
        }
    }
}
