package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.CrowdBrake;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From a message to its targets: sessions and groups of this node, other nodes by one message each,
 * the retained store.
 */
public final class Router {
    /** Work that is done: one target was told. */
    private static final Sliced ONE_TOLD =
            new Sliced() {
                @Override
                public boolean slice() {
                    return true;
                }

                @Override
                public int cost() {
                    return 2;
                }
            };

    private final Shard shard;
    private final @Nullable RetainedKeeper retained;
    private final NodeSender nodes;
    private final ShardLoad load;
    private final LocalDelivery local;
    private final SharedRouting shared;
    private final TurnWork work;
    private final Routes routes;
    private final NodeRoom room;
    private Router[] peers = new Router[0];

    /** Bytes of payload from which on they count, and not the targets alone. */
    private static final int BULKY = 8 << 10;

    /**
     * Bytes of payloads written in one slice: the kernel copies them, and 20 KB to each of 150
     * clients took it 85 ms.
     */
    private static final int SLICE_BYTES = 128 << 10;

    /** Targets told in one slice: {@code overload.slice}. */
    private final int sliceMax;

    /** Where the last message went that was published here. */
    private NodeRef[] wentTo = new NodeRef[0];

    private GroupTargets groupsWentTo = GroupTargets.NONE;

    /** Leaves out sessions of what is published here; null in peace. */
    private @Nullable SlotGate gate;

    /**
     * @param retained on the shard that owns the retained store, null on the others
     * @param nodes the way to subscribers of other nodes
     * @param sliceMax targets told in one slice
     * @param strategy of shared groups
     */
    public Router(
            Shard shard,
            TopicIndex index,
            GroupSender groups,
            @Nullable RetainedKeeper retained,
            NodeSender nodes,
            ShardLoad load,
            CrowdBrake crowd,
            int sliceMax,
            SharedStrategy strategy) {
        this.shard = shard;
        this.retained = retained;
        this.nodes = nodes;
        this.load = load;
        this.local = new LocalDelivery(shard, groups, load, crowd);
        this.shared = new SharedRouting(shard, index, nodes, local, load, strategy);
        this.work = new TurnWork(shard, sliceMax);
        this.routes = new Routes(index, load, work);
        this.room = new NodeRoom(nodes, routes, shared);
        this.sliceMax = sliceMax;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Router[] all) {
        peers = all;
    }

    NodeSender nodes() {
        return nodes;
    }

    /** Has some sessions left out of what is published here from now on; null for none. */
    public void gate(@Nullable SlotGate now) {
        gate = now;
    }

    /** Which messages have to wait for other nodes, or are refused. */
    NodeRoom room() {
        return room;
    }

    /** What this shard knows of topics. */
    Routes routes() {
        return routes;
    }

    /** See {@link NodeSender#letGo}. */
    public void letGo(Map<IngressId, Takers> remembered) {
        nodes.letGo(remembered);
    }

    /** The way to shared groups that several nodes have members of. */
    public SharedRouting shared() {
        return shared;
    }

    /** Whether retained messages are kept here: a retained PUBLISH may be routed from here. */
    boolean keepsRetained() {
        return retained != null;
    }

    /**
     * Sends a retained message where it is kept, and then routed.
     *
     * @param publishing told when it is; null when the broker itself publishes
     * @param late nodes that have got it already
     */
    void publishElsewhere(
            Message message,
            @Nullable Receipt receipt,
            @Nullable Publishing publishing,
            NodeRef[] late) {
        shard.sendAfterAll(
                TopicIndex.OWNER,
                new RetainedMail.Publish(
                        peers[TopicIndex.OWNER],
                        message,
                        receipt,
                        publishing,
                        late,
                        shard.index()));
    }

    /** Publishes for nobody: $SYS. */
    public void publishOwn(Message message) {
        publishOwn(message, null, NodePaths.NONE);
    }

    /** Whether it is known what the other nodes have subscribers of. */
    public boolean isReady() {
        return nodes.isReady();
    }

    public void whenReady(Runnable task) {
        nodes.whenReady(task);
    }

    /** Publishes what a client has left to be published: its will. */
    public void publishWill(PublisherSession of, Message message, @Nullable Receipt receipt) {
        if (nodes.isReady()) {
            WillWay way = new WillWay(shard, nodes, of);
            NodeRef[] to = routes.of(message.topic).nodes();
            publishOwn(message, receipt, way.sendLate(message, to, receipt));
            way.wentTo(wentTo, message);
        } else {
            load.peers(message.accountedBytes());
            nodes.whenReady(() -> {
                load.peers(-message.accountedBytes());
                publishWill(of, message, receipt);
            });
        }
    }

    private void publishOwn(Message message, @Nullable Receipt receipt, NodeRef[] late) {
        if (message.retain && !keepsRetained()) {
            publishElsewhere(message, receipt, null, late);
        } else {
            publishHere(message, receipt, late);
        }
    }

    /** Publishes a message of the broker itself from the shard on which it is routed. */
    void publishHere(Message message, @Nullable Receipt receipt, NodeRef[] late) {
        if (publish(message, receipt, null, late)) {
            routed(receipt);
        }
    }

    /** Ends the count of a receipt whose message no client published: every target was told. */
    private static void routed(@Nullable Receipt receipt) {
        if (receipt != null && receipt.routed()) {
            receipt.onDone();
        }
    }

    /**
     * Routes a message from this shard; a retained one only where it is kept first.
     *
     * @param publishing told when a fan-out that is too large for one slice has ended
     * @param late nodes that have got it already
     * @return whether every target was told; else {@link Publishing#fannedOut} follows
     */
    boolean publish(
            Message message,
            @Nullable Receipt receipt,
            @Nullable Publishing publishing,
            NodeRef[] late) {
        local.forgetFull();
        HybridId stamp = retain(message, receipt);
        Route route = routeOf(message, receipt);
        toNodes(route, late, message, stamp, receipt);
        int targets = LocalDelivery.targets(route);
        boolean now = publishing == null || targets <= 1 || work.take(targets);
        if (now && targets <= sliceMax(message)) {
            local.tell(route, 0, targets, message, receipt, gate);
            tellOfFull(publishing);
            return true;
        }
        Runnable whenTold =
                publishing == null ? () -> routed(receipt) : () -> publishing.fannedOut(receipt);
        FanOut fanOut = fanOut(route, 0, message, receipt, publishing, gate, whenTold);
        if (now) {
            fanOut.slice();
        }
        tellOfFull(publishing);
        shard.slice(fanOut);
        return false;
    }

    private @Nullable HybridId retain(Message message, @Nullable Receipt receipt) {
        return message.retain && retained != null ? retained.retain(message, receipt) : null;
    }

    /**
     * @param stamp of a retained message: it goes to all nodes
     */
    private void toNodes(
            Route route,
            NodeRef[] late,
            Message message,
            @Nullable HybridId stamp,
            @Nullable Receipt receipt) {
        NodeRef[] to = without(route.nodes(), late);
        GroupTargets groups =
                route.spread().length == 0
                        ? GroupTargets.NONE
                        : shared.choose(route, message, receipt);
        wentTo(to, groups);
        if (stamp != null) {
            nodes.retained(to, groups, late, message, stamp, receipt);
        } else if ((to.length > 0 || groups != GroupTargets.NONE) && !message.topic.isSysTree()) {
            nodes.publish(to, groups, message, receipt);
        }
    }

    /** Writes what differs: where nobody is on other nodes, each message finds it as it was. */
    private void wentTo(NodeRef[] to, GroupTargets groups) {
        if (wentTo != to) {
            wentTo = to;
        }
        if (groupsWentTo != groups) {
            groupsWentTo = groups;
        }
    }

    private static NodeRef[] without(NodeRef[] nodes, NodeRef[] late) {
        if (late.length == 0) {
            return nodes;
        }
        List<NodeRef> left = new ArrayList<>(Arrays.asList(nodes));
        left.removeAll(Arrays.asList(late));
        return left.toArray(NodePaths.NONE);
    }

    /** Other nodes to whose sessions the last message went that was published here. */
    NodeRef[] wentTo() {
        return wentTo;
    }

    /** And those to whose shared groups it went. */
    NodeRef[] groupsWentTo() {
        return groupsWentTo.nodes();
    }

    /**
     * A message of another node: to sessions and groups of this one alone.
     *
     * @param sessions whether it is for sessions
     * @param groups the shared groups that it is for, by their whole filters
     * @param feeder hears of those of them that hold more than their part
     * @param passing leaves out sessions; null in peace
     * @return to be run to its end before anything that came later; the receipt has then counted
     *     every target
     */
    public Sliced arrived(
            Message message,
            boolean sessions,
            TopicFilter[] groups,
            @Nullable Receipt receipt,
            Feeder feeder,
            @Nullable SlotGate passing) {
        local.forgetFull();
        Route route = routeOf(message, receipt);
        for (TopicFilter group : groups) {
            shared.arrived(route, group, message, receipt);
        }
        tellOfFull(feeder);
        int from = sessions ? route.groups().length : LocalDelivery.targets(route);
        int found = routes.takeFound();
        if (found == 0 && LocalDelivery.targets(route) - from == 1) {
            local.tell(route, from, from + 1, message, receipt, passing);
            tellOfFull(feeder);
            return ONE_TOLD;
        }
        FanOut fanOut = fanOut(route, from, message, receipt, feeder, passing, () -> {});
        fanOut.found(found);
        return fanOut;
    }

    /** The same of a retained one, on the shard that keeps these. */
    public Sliced arrivedRetained(
            Message message,
            TopicFilter[] groups,
            HybridId stamp,
            @Nullable Receipt receipt,
            Feeder feeder,
            @Nullable SlotGate passing) {
        if (retained == null) {
            throw new IllegalStateException("shard " + shard.index() + " keeps nothing retained");
        }
        retained.retainArrived(message, stamp, receipt);
        return arrived(message, true, groups, receipt, feeder, passing);
    }

    /**
     * A message of another node that was sent to the former leader of some slots: to their durable
     * sessions alone.
     *
     * @param passing lets these pass
     * @return see {@link #arrived}
     */
    public Sliced redirected(
            Message message, SlotGate passing, @Nullable Receipt receipt, Feeder feeder) {
        return redirect(message, passing, receipt, feeder);
    }

    /**
     * Tells durable sessions of slots that this node has taken over of a message that this shard
     * had sent to their former leader.
     *
     * @param passing lets these pass
     * @param receipt awaits each of them
     */
    public void redirect(Message message, SlotGate passing, @Nullable Receipt receipt) {
        FanOut fanOut = redirect(message, passing, receipt, null);
        boolean told;
        do {
            told = fanOut.slice(); // What is published next must not overtake it.
        } while (!told);
    }

    private FanOut redirect(
            Message message, SlotGate passing, @Nullable Receipt receipt, @Nullable Feeder feeder) {
        local.forgetFull();
        Route route = routes.of(message.topic);
        FanOut fanOut =
                fanOut(route, route.groups().length, message, receipt, feeder, passing, () -> {});
        fanOut.found(routes.takeFound());
        return fanOut;
    }

    private void tellOfFull(@Nullable Feeder feeder) {
        RouteTarget target = local.takeFull();
        boolean crowd = local.takeCrowd();
        if (feeder != null && target != null) {
            feeder.feeds(target);
        }
        if (feeder != null && crowd) {
            feeder.feedsCrowd();
        }
    }

    /** Keeps and routes a retained message; the caller runs the slices to their end. */
    FanOut begin(Message message, @Nullable Receipt receipt, NodeRef[] late, Feeder feeder) {
        local.forgetFull();
        HybridId stamp = retain(message, receipt);
        Route route = routeOf(message, receipt);
        toNodes(route, late, message, stamp, receipt);
        return fanOut(route, 0, message, receipt, feeder, gate, () -> {});
    }

    private FanOut fanOut(
            Route route,
            int from,
            Message message,
            @Nullable Receipt receipt,
            @Nullable Feeder feeder,
            @Nullable SlotGate passing,
            Runnable whenTold) {
        return new FanOut(
                shard,
                local,
                sliceMax(message),
                route,
                from,
                message,
                receipt,
                feeder,
                passing,
                whenTold);
    }

    /** Targets of a message that are told in one slice. */
    private int sliceMax(Message message) {
        int length = message.payload.length;
        return length < BULKY ? sliceMax : Math.clamp(SLICE_BYTES / length, 1, sliceMax);
    }

    private Route routeOf(Message message, @Nullable Receipt receipt) {
        Route route = routes.of(message.topic);
        if (route.isEmpty()) {
            shard.counters().increment(Metric.NO_MATCH, null);
            if (receipt != null) {
                receipt.reason = ReasonCode.NO_MATCHING_SUBSCRIBERS;
            }
        }
        return route;
    }
}
