package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.AssignmentsFile;
import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.Leadership;
import io.godwit.cluster.leadership.LeadershipListener;
import io.godwit.cluster.leadership.LeadershipPeers;
import io.godwit.cluster.leadership.LeadershipRule;
import io.godwit.cluster.leadership.LeadershipTimes;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.leadership.SlotUse;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.replication.LedSlots;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.store.CopySets;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connects {@link Leadership} to a broker: its records go by the shared stream, its time is that of
 * the shard that owns the topic index. On that shard, but for {@link #leaders} and {@link
 * #sessionsAside}.
 */
public final class SlotLeadership implements LeadershipPeers, LedSlots, Transfers.Members {
    private final BrokerShard owner;
    private final ShardStreams shared;
    private final SlotUse use;
    private final Leadership leadership;
    private final List<LeadershipListener> listeners = new ArrayList<>();

    SlotLeadership(
            NodeStart self,
            ClusterTimes times,
            BrokerShard owner,
            ShardStreams shared,
            SlotUse use,
            AssignmentsFile file) {
        this.use = use;
        this.owner = owner;
        this.shared = shared;
        leadership =
                new Leadership(
                        self,
                        Slots.COUNT,
                        new LeadershipTimes(times.startWaitMs(), times.peerTimeoutMs()),
                        LeadershipRule.ALL,
                        file,
                        use,
                        this,
                        now -> listeners.forEach(each -> each.onLeaders(now)));
    }

    /** Returns who leads each slot now; any thread. */
    public SlotLeaders leaders() {
        return leadership.leaders();
    }

    @Override
    public BitSet of(int server) {
        return leaders().ledBy(server);
    }

    @Override
    public BitSet older() {
        return leaders().older();
    }

    @Override
    public BitSet unsettled() {
        return leadership.unsettled();
    }

    @Override
    public boolean isLoadingFrom(int leader) {
        return leadership.isLoadingFrom(leader);
    }

    @Override
    public long[] takeovers() {
        long[] bySet = new long[CopySets.LAST + 1];
        SlotLeaders now = leaders();
        for (int slot = 0; slot < now.size(); slot++) {
            Epoch epoch = now.epoch(slot);
            bySet[CopySets.ofSlot(slot)] += epoch == null ? 0 : epoch.takeovers();
        }
        return bySet;
    }

    /**
     * Returns under which epoch another node has taken a slot over since this one served its
     * sessions; at a start. Null: none has, as far as is on the disk.
     */
    @Nullable Epoch newerLeader(int slot) {
        return leadership.newerLeader(slot);
    }

    /** Counts the sessions that are set aside; any thread. */
    public long sessionsAside() {
        return use.sessionsAside();
    }

    /** Adds a listener, before the shards run. */
    public void addListener(LeadershipListener listener) {
        listeners.add(listener);
    }

    /** Notes who belongs to the cluster and who is live; any thread, in the order of changes. */
    public void onNodes(Nodes nodes) {
        owner.execute(() -> leadership.onNodes(nodes));
    }

    /** Lets this node take slots from now on. */
    void begin() {
        leadership.begin();
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        leadership.tick(nowMs);
                        owner.timers().arm(this, nowMs + LinkSettings.TICK_MS);
                    }
                };
        owner.timers().arm(timer, owner.nowMs());
    }

    /**
     * Takes slots over from a node that is gone and has copies of their sessions here.
     *
     * @param from server id of the node
     */
    void takeOver(int from, BitSet slots) {
        leadership.takeOver(from, slots);
    }

    /** Returns the slots that this node has taken over, by server id of their former leader. */
    Map<Integer, BitSet> takenOver() {
        return leadership.takenOver();
    }

    /** See {@link Leadership#hasOlder}. */
    boolean hasOlder() {
        return leadership.hasOlder();
    }

    /** See {@link Leadership#isSettled}. */
    boolean isSettled() {
        return leadership.isSettled();
    }

    @Override
    public boolean knowsTables() {
        return leadership.knowsTables();
    }

    void onUp(PeerLink link) {
        OutStream stream = shared.shared(link.peer().server());
        // The whole table is told again: records of the last link go, and tasks that waited for
        // their answers wait for the answers to the new ones.
        List<Runnable> waiting =
                stream.takeOut(record ->
                        record instanceof StreamRecord.Leads
                                || record instanceof StreamRecord.Holds
                                || record instanceof StreamRecord.Kept
                                || record instanceof StreamRecord.Draining);
        leadership.onUp(link.peer());
        long last = stream.last();
        waiting.forEach(task -> stream.whenAnswered(last, task));
    }

    /** Takes in rows that another node has sent in an answer. */
    void merge(List<SlotRow> rows) {
        leadership.onLeaders(rows.getFirst().epoch().leader(), rows);
    }

    void onDown(PeerLink link) {
        leadership.onDown(link.peer());
    }

    void onRecord(NodeStart from, StreamRecord record) {
        switch (record) {
            case StreamRecord.Leads leads -> leadership.onLeaders(from, leads.rows());
            case StreamRecord.Holds holds -> leadership.onHoldings(from, holds.slots());
            case StreamRecord.Kept kept -> leadership.onKept(from, kept.slots(), kept.epoch());
            case StreamRecord.Draining told -> leadership.onDraining(from, told.isDraining());
            default -> throw new IllegalArgumentException("not about slots: " + record);
        }
    }

    private void tell(int server, StreamRecord record) {
        OutStream stream = shared.shared(server);
        stream.add(record, null, false, false, false);
    }

    @Override
    public void tellLeaders(int server, List<SlotRow> rows) {
        tell(server, new StreamRecord.Leads(rows));
    }

    @Override
    public void tellHoldings(int server, BitSet slots) {
        tell(server, new StreamRecord.Holds(slots));
    }

    @Override
    public void tellKept(int server, BitSet slots, Epoch epoch) {
        tell(server, new StreamRecord.Kept(slots, epoch));
    }

    @Override
    public void tellDraining(int server, boolean isDraining) {
        tell(server, new StreamRecord.Draining(isDraining));
    }

    /** Has this node lead nothing new, or lets it lead again. */
    void drain(boolean isDraining) {
        leadership.drain(isDraining);
    }

    @Override
    public boolean isDraining(int server) {
        return leadership.isDraining(server);
    }

    @Override
    public Map<Integer, NodeStart> heard() {
        return leadership.heard();
    }

    @Override
    public BitSet ledBy(int server) {
        return leadership.leaders().ledBy(server);
    }

    @Override
    public BitSet served(int server) {
        return leadership.served(server);
    }
}
