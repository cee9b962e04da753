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
 * Loads the sessions of slots that this node has taken over from a leader that is gone, and has all
 * sources switch over. One take-over after the other, on the shard that owns the topic index.
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
 */
final class TakeOvers {
    private static final Logger LOG = LoggerFactory.getLogger(TakeOvers.class);

    /** Within this time a take-over that was decided is on the disk, or nothing comes of it. */
    private static final long BEGINS_MS = 60_000;

    private record TakeOver(
            int from, BitSet slots, Epoch epoch, long startedMs, Runnable whenLoaded) {}

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
        number++;
        for (int i = 0; i < streams.size(); i++) {
            ShardStreams each = streams.get(i);
            broker.shard(i).execute(() -> each.closeAtStart(1, slots));
        }
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
        copies.demote(CopySets.ofSlots(slots), () -> {});
        waiting.add(new TakeOver(from, slots, epoch, owner.nowMs(), whenLoaded));
        next();
    }

    /** See {@link io.godwit.cluster.leadership.SlotUse#hasSwitched}. */
    boolean hasSwitched(int slot, Epoch epoch) {
        return epoch.from() == 0
                || epoch.server() == self.server()
                || switchOvers.hasSwitched(slot, epoch.server());
    }

    private BitSet loading(int from) {
        BitSet copySets = new BitSet();
        waiting.stream()
                .filter(each -> each.from == from)
                .forEach(each -> copySets.or(CopySets.ofSlots(each.slots)));
        TakeOver now = running;
        if (now != null && now.from == from) {
            copySets.or(CopySets.ofSlots(now.slots));
        }
        return copySets;
    }

    private void next() {
        TakeOver first = running == null ? waiting.poll() : null;
        if (first != null) {
            running = first;
            number++;
            closeGates(first, number, 0);
        }
    }

    /** Goes from shard to shard. */
    private void closeGates(TakeOver of, int takeover, int shard) {
        if (shard == streams.size()) {
            owner.execute(() -> copies.fence(of.from, of.slots, () -> adopt(of, takeover, 1)));
            return;
        }
        broker.shard(shard)
                .execute(() -> {
                    streams.get(shard).close(takeover, of.slots);
                    closeGates(of, takeover, shard + 1);
                });
    }

    private void adopt(TakeOver of, int takeover, int copySet) {
        if (copySet == CopySets.GROUPS) {
            switchOvers.tookOver(self, takeover, of.from, of.slots, () -> end(of));
            return;
        }
        BitSet only = new BitSet();
        only.set(copySet);
        BitSet slots = CopySets.slots(only);
        slots.and(of.slots);
        Runnable then = () -> adopt(of, takeover, copySet + 1);
        if (slots.isEmpty()) {
            then.run();
        } else {
            broker.adopt(of.from, copySet, slots, of.epoch.changes(), then);
        }
    }

    private void end(TakeOver of) {
        running = null;
        LOG.info(
                "Took over {} slots of node {}: after {} ms all its sessions with copies here are served",
                of.slots.cardinality(),
                of.from,
                owner.nowMs() - of.startedMs);
        BitSet copySets = CopySets.ofSlots(of.slots);
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
