package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.GroupTargets;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.shard.PauseWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The router's way to other nodes: puts what it sends on their streams, and says who waits for
 * their answers.
 *
 * <p>What has QoS 0 is sent to a node that there is a link to, and dropped and counted otherwise,
 * or when too much waits for it. The rest is kept until it is answered, whatever becomes of the
 * link.
 */
final class StreamSender implements NodeSender {
    private final BrokerShard shard;
    private final ShardPeers peers;
    private final Supplier<ShardPeers> owners;
    private final OpenPublishes open;
    private final Redirects redirects;
    private final Releases releases;
    private final StreamRules rules;
    private final LeaderAway leaderAway;
    private final PauseWatch pauses;
    private final HeardNodes heard;
    private final List<Runnable> whenReady = new ArrayList<>(0);
    private final Awaited allKnown = new Awaited();
    private boolean ready;

    /** Slots of sessions here were taken over, and this node has not switched over. */
    private boolean holds;

    /**
     * @param owners of the shard that sends what is retained
     */
    StreamSender(
            BrokerShard shard,
            ShardPeers peers,
            Supplier<ShardPeers> owners,
            OpenPublishes open,
            Redirects redirects,
            ShardStreams.Maker maker) {
        this.shard = shard;
        this.peers = peers;
        this.owners = owners;
        this.open = open;
        this.redirects = redirects;
        this.releases = maker.releases;
        this.rules = maker.rules;
        this.leaderAway = maker.leaderAway;
        this.pauses = maker.pauses;
        this.heard = maker.heard;
    }

    @Override
    public void letGo(Map<IngressId, Takers> remembered) {
        releases.letGo(remembered);
    }

    /** The filters of the other nodes are known, as far as they are waited for. */
    void ready() {
        ready = true;
        goOn();
    }

    /** Has publishers wait, or no more. */
    void hold(boolean now) {
        holds = now;
    }

    /** Lets those go on that waited, unless there is something to wait for again. */
    void goOn() {
        if (isReady()) {
            List<Runnable> all = new ArrayList<>(whenReady);
            whenReady.clear();
            all.forEach(Runnable::run);
        }
    }

    /** All nodes have told their filters. */
    void allKnown() {
        allKnown.happens();
    }

    @Override
    public boolean isReady() {
        return ready && !holds && !pauses.isBehind();
    }

    @Override
    public void whenReady(Runnable task) {
        if (isReady()) {
            task.run();
        } else {
            whenReady.add(task);
        }
    }

    @Override
    public boolean knowsAll() {
        return allKnown.hasHappened();
    }

    @Override
    public void whenAllKnown(Runnable task) {
        allKnown.then(task);
    }

    @Override
    public void publish(
            NodeRef[] to, GroupTargets groups, Message message, @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.Publish(message);
        Receipt waits = waits(message, receipt);
        for (NodeRef node : to) {
            TopicFilter[] named = groups.of(node);
            publish(
                    node,
                    named.length == 0
                            ? record
                            : new StreamRecord.GroupPublish(message, true, named),
                    message,
                    waits,
                    receipt,
                    !node.hasDurable() && !groups.hasDurable(node));
        }
        for (NodeRef node : groups.nodes()) {
            if (find(to, node.server()) == null) {
                toGroups(node, groups, message, waits, receipt);
            }
        }
        routed(waits, receipt);
    }

    @Override
    public void publishLate(NodeRef[] to, Message message, @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.Publish(message);
        Receipt waits = waits(message, receipt);
        for (NodeRef node : to) {
            publish(node, record, message, waits, receipt, !node.hasDurable());
        }
        routed(waits, receipt);
    }

    @Override
    public void redirectLate(NodeRef to, Message message, @Nullable Receipt receipt) {
        Receipt waits = waits(message, receipt);
        redirects.redirectLate(
                to.server(),
                message,
                waits,
                receipt != null && receipt.isAgain,
                receipt != null && message.qos == 2);
        routed(waits, receipt);
    }

    private void toGroups(
            NodeRef node,
            GroupTargets groups,
            Message message,
            @Nullable Receipt waits,
            @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.GroupPublish(message, false, groups.of(node));
        publish(node, record, message, waits, receipt, !groups.hasDurable(node));
    }

    private void publish(
            NodeRef node,
            StreamRecord record,
            Message message,
            @Nullable Receipt waits,
            @Nullable Receipt receipt,
            boolean forTransient) {
        PeerStreams peer = peers.of(node.server());
        OutStream stream = peer.publishes;
        if (peer.isSettled && !(record instanceof StreamRecord.GroupPublish)
                || isDropped(message.qos, stream, node, forTransient)) {
            return;
        }
        if (waits != null) {
            waits.await();
            if (message.qos == 2) {
                takenBy(waits, message, peer);
            }
        }
        add(stream, record, message, waits, false, receipt);
        if (message.retain) {
            peer.retainedAgainAt = stream.last();
        }
        if (forTransient) {
            stream.lastIsForTransient();
        }
    }

    /**
     * Whether a message is dropped and counted: of QoS 0 where the node has no link or no room, of
     * QoS 1 and 2 where the node is unreachable and only what ends with it would get the message.
     */
    private boolean isDropped(int qos, OutStream stream, NodeRef node, boolean forTransient) {
        if (qos == 0 && (!stream.isUp() || !stream.room().isLeft())) {
            shard.counters().increment(Metric.DROPPED_QOS0_NODE);
            return true;
        }
        if (qos > 0 && forTransient && isUnreachable(stream, node)) {
            shard.counters().increment(Metric.DROPPED_NODE_TRANSIENT);
            return true;
        }
        return false;
    }

    /** Whether the node is away, and no link has opened since of which a stream has yet to hear. */
    private boolean isUnreachable(OutStream stream, NodeRef node) {
        return stream.isAway() && !heard.hears(node.server());
    }

    @Override
    public void passOn(NodeRef[] to, PassingMessage message, @Nullable Receipt receipt) {
        for (NodeRef node : to) {
            PeerStreams peer = peers.of(node.server());
            OutStream stream = peer.publishes;
            if (peer.isSettled
                    || isDropped(receipt == null ? 0 : 1, stream, node, !node.hasDurable())) {
                continue;
            }
            if (receipt != null) {
                receipt.await();
            }
            stream.add(message, receipt);
            if (receipt != null && !node.hasDurable()) {
                stream.lastIsForTransient();
            }
        }
    }

    @Override
    public boolean choosesOneNode() {
        return rules.holds(StreamRule.GROUP_AT_ONE_NODE);
    }

    @Override
    public void passOn(NodeRef to, TopicFilter group, Message message, @Nullable Receipt receipt) {
        OutStream stream = peers.of(to.server()).publishes;
        boolean forTransient = message.qos > 0 && !to.hasDurable();
        if (isDropped(message.qos, stream, to, forTransient)) {
            Receipt.done(receipt);
            return;
        }
        StreamRecord.PassedOn record = new StreamRecord.PassedOn(message, group);
        if (message.qos < 2) {
            stream.add(record, receipt, message.qos == 0, false, false);
        } else {
            passOnOnce(record, to, stream, receipt);
        }
        if (forTransient) {
            stream.lastIsForTransient();
        }
    }

    private void passOnOnce(
            StreamRecord.PassedOn record, NodeRef to, OutStream stream, @Nullable Receipt receipt) {
        Message message = record.message();
        Receipt waits = receipt == null ? nobody() : receipt;
        if (waits.isAgain && releases.isOwn(OpenPublishes.idOf(message))) {
            waits.takenBy(message, releases.everyNode()); // An earlier start has sent it.
        }
        takenBy(waits, message, peers.of(to.server()));
        stream.add(record, waits, false, false, waits.isAgain);
        int cameInAt = receipt == null ? Receipt.ANY_SHARD : receipt.shard(shard.index());
        HeldUntilKept.hold(stream, shard, cameInAt);
    }

    /** Who waits for the nodes; of QoS 2 always somebody, who tells them when it is over. */
    private @Nullable Receipt waits(Message message, @Nullable Receipt receipt) {
        if (receipt != null || message.qos < 2) {
            return message.qos == 0 ? null : receipt;
        }
        return nobody();
    }

    /** Nobody can send it again. */
    private Receipt nobody() {
        Receipt own = new Receipt(null, 0, 2);
        own.release(shard);
        return own;
    }

    private void takenBy(Receipt waits, Message message, PeerStreams peer) {
        open.add(OpenPublishes.idOf(message));
        waits.takenBy(message, peer);
    }

    private static void routed(@Nullable Receipt waits, @Nullable Receipt receipt) {
        if (waits != null && waits != receipt && waits.routed()) {
            waits.onDone();
        }
    }

    private void add(
            OutStream stream,
            StreamRecord record,
            Message message,
            @Nullable Receipt waits,
            boolean lenient,
            @Nullable Receipt receipt) {
        stream.add(record, waits, message.qos == 0, lenient, receipt != null && receipt.isAgain);
        if (receipt != null && message.qos == 2) {
            HeldUntilKept.hold(stream, shard, receipt.shard(shard.index()));
        }
    }

    @Override
    public void retained(
            NodeRef[] to,
            GroupTargets groups,
            NodeRef[] not,
            Message message,
            HybridId stamp,
            @Nullable Receipt receipt) {
        StreamRecord everywhere =
                new StreamRecord.RetainedPublish(message, stamp, GroupTargets.NO_FILTERS);
        Receipt waits = waits(message, receipt);
        for (PeerStreams peer : peers.all()) {
            OutStream stream = peer.shared;
            NodeRef node = new NodeRef(peer.server);
            TopicFilter[] named = groups.of(node);
            NodeRef routed = find(to, peer.server);
            boolean isOwed = routed != null && routed.hasDurable() || groups.hasDurable(node);
            boolean isLate = stream != null && (stream.isAway() || !stream.isUp());
            if (stream == null
                    || peer.isSettled && named.length == 0
                    || isLate && stream.room().isFull() && !(isOwed && message.qos > 0)) {
                if (message.qos > 0 && (routed != null || named.length > 0)) {
                    shard.counters().increment(Metric.DROPPED_NODE_TRANSIENT);
                }
                continue; // It gets what it missed when it is back.
            }
            if (find(not, peer.server) != null) {
                if (!isLate) {
                    boolean deletes = message.payload.length == 0;
                    StreamRecord copy =
                            new StreamRecord.RetainedCopy(
                                    message.topic, stamp, deletes ? null : message);
                    stream.add(copy, null, false, false, false);
                }
                if (named.length > 0) {
                    toGroups(node, groups, message, waits, receipt);
                }
                continue;
            }
            if (waits != null && message.qos == 2) {
                takenBy(waits, message, peer);
            }
            Receipt waitsHere = !isOwed && stream.isAway() ? null : waits;
            if (waitsHere != null) {
                waitsHere.await();
            }
            StreamRecord record =
                    named.length == 0
                            ? everywhere
                            : new StreamRecord.RetainedPublish(message, stamp, named);
            add(stream, record, message, waitsHere, !isOwed, receipt);
        }
        routed(waits, receipt);
    }

    private static @Nullable NodeRef find(NodeRef[] nodes, int server) {
        for (NodeRef node : nodes) {
            if (node.server() == server) {
                return node;
            }
        }
        return null;
    }

    @Override
    public void whenRetainedAnswered(Runnable task) {
        boolean waits = rules.holds(StreamRule.ONE_WAY_PER_TOPIC);
        whenAnswered(waits ? new ArrayList<>(peers.all()) : List.of(), 0, task);
    }

    private static void whenAnswered(List<PeerStreams> all, int from, Runnable task) {
        if (from == all.size()) {
            task.run();
            return;
        }
        PeerStreams peer = all.get(from);
        OutStream stream = peer.shared;
        Runnable next = () -> whenAnswered(all, from + 1, task);
        Runnable then =
                peer.retainedAgainAt == 0
                        ? next
                        : () -> peer.publishes.whenAnsweredAlone(peer.retainedAgainAt, next);
        if (stream == null) {
            then.run();
        } else {
            stream.whenAnswered(stream.last(), then);
        }
    }

    @Override
    public long position(NodeRef of) {
        return peers.of(of.server()).publishes.last();
    }

    @Override
    public boolean isAnswered(NodeRef of, long position) {
        return peers.of(of.server()).publishes.isAnswered(position)
                        && !redirects.isOpen(of.server())
                || !rules.holds(StreamRule.ONE_WAY_PER_TOPIC);
    }

    @Override
    public int switchOvers() {
        return redirects.begun();
    }

    @Override
    public boolean isSwitchingOver(NodeRef of) {
        return redirects.isOpen(of.server());
    }

    @Override
    public void whenSwitchedOver(NodeRef of, int switchOvers, Runnable task) {
        redirects.whenAnswered(of.server(), switchOvers, task);
    }

    @Override
    public boolean refusesForAway() {
        return leaderAway == LeaderAway.REFUSE;
    }

    @Override
    public boolean isAway(NodeRef of) {
        return peers.of(of.server()).publishes.isAway();
    }

    @Override
    public void whenAnswered(NodeRef of, long position, Runnable task) {
        if (redirects.isOpen(of.server())) {
            redirects.whenAnswered(of.server(), 0, () -> whenAnswered(of, position, task));
        } else {
            peers.of(of.server()).publishes.whenAnswered(position, task);
        }
    }

    @Override
    public void whenAnsweredAtLast(NodeRef of, long position, Runnable task) {
        peers.of(of.server())
                .publishes
                .whenAnsweredAtLast(position, () -> redirects.whenAnswered(of.server(), 0, task));
    }

    @Override
    public boolean isFull(NodeRef of) {
        PeerStreams peer = peers.shown(of.server());
        return peer != null
                && peer.publishes.room().isFull()
                && (of.hasDurable() || !isUnreachable(peer.publishes, of));
    }

    @Override
    public boolean isRetainedFull(NodeRef of) {
        PeerStreams peer = owners.get().shown(of.server());
        return peer != null
                && peer.shared != null
                && peer.shared.room().isFull()
                && (of.hasDurable() || !peer.shared.isAway());
    }

    @Override
    public @Nullable NodeRef holdsRetained() {
        for (PeerStreams peer : owners.get().shown()) {
            if (peer.holdsRetained()) {
                return new NodeRef(peer.server);
            }
        }
        return null;
    }

    @Override
    public boolean hasRoom(NodeRef of) {
        OutStream stream = peers.of(of.server()).publishes;
        return stream.room().isLeft() || !of.hasDurable() && isUnreachable(stream, of);
    }

    @Override
    public void whenRoom(NodeRef of, Runnable task) {
        peers.of(of.server()).publishes.room().whenLeft(task);
    }

    @Override
    public void forgetRoom(NodeRef of, Runnable task) {
        peers.of(of.server()).publishes.room().forget(task);
    }
}
