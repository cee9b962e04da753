package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.mail.Recipient;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.routing.TopicMatcher;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From a message to its targets: sessions of this shard at once, those of another by one mail per
 * shard, other nodes by one message each.
 *
 * <p>A transient session of another shard has taken the message in when it stands in that shard's
 * mailbox, which lives and dies with the session; only durable ones are waited for.
 */
public final class Router {
    /** Slices that the PUBLISHes read in one turn may take together: some milliseconds. */
    private static final int TURN_SLICES = 10;

    /** Targets between two looks at what the slice has caused. */
    private static final int STEP = 100;

    private final Shard shard;
    private final GroupSender groups;
    private final @Nullable RetainedKeeper retained;
    private final NodeSender nodes;
    private Router[] peers = new Router[0];
    private final TopicIndex index;
    private final TopicMatcher matcher;
    private final RouteCache routes;
    private final ShardLoad load;
    private Subscription[][] remote = new Subscription[0][];
    private int[] remoteCount = new int[0];

    /** Targets told in one slice: {@code overload.slice}. */
    private final int sliceMax;

    /** Where the last message went that was published here. */
    private NodeRef[] wentTo = new NodeRef[0];

    /** A target of the message that is routed now, which holds more than its part. */
    private @Nullable RouteTarget full;

    private int workOfTurn;

    /** Filters matched and subscriptions merged for routes that no topic had kept. */
    private int found;

    private final TurnEnd forgetTurn = () -> workOfTurn = 0;

    /**
     * @param retained on the shard that owns the retained store, null on the others
     * @param nodes the way to subscribers of other nodes
     * @param sliceMax targets told in one slice
     */
    public Router(
            Shard shard,
            TopicIndex index,
            GroupSender groups,
            @Nullable RetainedKeeper retained,
            NodeSender nodes,
            ShardLoad load,
            int sliceMax) {
        this.shard = shard;
        this.index = index;
        this.groups = groups;
        this.retained = retained;
        this.nodes = nodes;
        this.matcher = index.matcher();
        this.routes = new RouteCache(load);
        this.load = load;
        this.sliceMax = sliceMax;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Router[] all) {
        peers = all;
    }

    NodeSender nodes() {
        return nodes;
    }

    /** Whether retained messages are kept here: a retained PUBLISH may be routed from here. */
    boolean keepsRetained() {
        return retained != null;
    }

    /** Sends a retained message where it is kept, and then routed. */
    void publishElsewhere(
            Message message, @Nullable Receipt receipt, Publishing publishing, NodeRef[] late) {
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

    /** Publishes for nobody: wills, $SYS. */
    public void publishOwn(Message message, @Nullable Receipt receipt) {
        if (!nodes.isReady() && !message.topic.isSysTree()) {
            // What a restart has found due: of some subscribers it is not known yet.
            nodes.whenReady(() -> publishOwn(message, receipt));
        } else if (message.retain && !keepsRetained()) {
            shard.sendAfterAll(
                    TopicIndex.OWNER,
                    new RetainedMail.Publish(
                            peers[TopicIndex.OWNER],
                            message,
                            receipt,
                            null,
                            NodePaths.NONE,
                            shard.index()));
        } else {
            publishHere(message, receipt);
        }
    }

    /** Publishes a message of the broker itself from the shard on which it is routed. */
    void publishHere(Message message, @Nullable Receipt receipt) {
        if (publish(message, receipt, null, NodePaths.NONE)) {
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
        full = null; // What has come from another node may have left one.
        HybridId stamp = retain(message, receipt);
        Route route = groupsTold(message, receipt);
        toNodes(without(route.nodes(), late), late, message, stamp, receipt);
        boolean now = publishing == null || route.count() <= 1 || hasRoomInTurn(route.count());
        if (now && route.count() <= sliceMax) {
            tell(route, 0, route.count(), message, receipt);
            tellOfFull(publishing);
            return true;
        }
        FanOut fanOut = new FanOut(route, message, receipt, publishing, true);
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
            NodeRef[] to,
            NodeRef[] late,
            Message message,
            @Nullable HybridId stamp,
            @Nullable Receipt receipt) {
        wentTo = to;
        if (stamp != null) {
            nodes.retained(to, late, message, stamp, receipt);
        } else if (to.length > 0 && !message.topic.isSysTree()) {
            nodes.publish(to, message, receipt);
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

    /** Other nodes to which the last message went that was published here. */
    NodeRef[] wentTo() {
        return wentTo;
    }

    /** Other nodes that messages of this topic go to. */
    NodeRef[] nodesOf(Topic topic) {
        return route(topic).nodes();
    }

    /**
     * A message of another node: to sessions and groups of this one alone.
     *
     * @return to be run to its end before anything that came later; the receipt has then counted
     *     every target
     */
    public Sliced arrived(Message message, @Nullable Receipt receipt) {
        return new FanOut(groupsTold(message, receipt), message, receipt, null, false);
    }

    /** The same of a retained one, on the shard that keeps these. */
    public Sliced arrivedRetained(Message message, HybridId stamp, @Nullable Receipt receipt) {
        if (retained == null) {
            throw new IllegalStateException("shard " + shard.index() + " keeps nothing retained");
        }
        retained.retainArrived(message, stamp, receipt);
        return arrived(message, receipt);
    }

    private void tellOfFull(@Nullable Publishing publishing) {
        if (full != null) {
            RouteTarget target = takeFull();
            if (publishing != null && target != null) {
                publishing.feeds(target);
            }
        }
    }

    /** One of those that were told since this was asked, and that hold more than their part. */
    @Nullable RouteTarget takeFull() {
        RouteTarget target = full;
        full = null;
        return target;
    }

    /**
     * Whether this turn has room for so many targets more: one read can hold hundreds of PUBLISHes,
     * each with a thousand.
     */
    private boolean hasRoomInTurn(int targets) {
        if (isTurnSpent()) {
            return false;
        }
        charge(Math.min(targets, sliceMax));
        return true;
    }

    private boolean isTurnSpent() {
        return workOfTurn >= sliceMax * TURN_SLICES;
    }

    /**
     * Counts work of this turn: a target told, a filter matched and a subscription merged alike.
     */
    private void charge(int work) {
        if (workOfTurn == 0) {
            shard.atTurnEnd(forgetTurn);
        }
        workOfTurn += work;
    }

    /**
     * Whether routes had to be found since this was asked, in a turn whose work is spent: what
     * comes next should wait for another one.
     */
    boolean hasFoundTooMuch() {
        return takeFound() > 0 && isTurnSpent();
    }

    /** The work of finding routes since this was asked. */
    int takeFound() {
        int work = found;
        found = 0;
        return work;
    }

    /** Keeps and routes a retained message; the caller runs the slices to their end. */
    FanOut begin(Message message, @Nullable Receipt receipt, NodeRef[] late) {
        full = null;
        HybridId stamp = retain(message, receipt);
        Route route = groupsTold(message, receipt);
        toNodes(without(route.nodes(), late), late, message, stamp, receipt);
        return new FanOut(route, message, receipt, null, false);
    }

    private Route groupsTold(Message message, @Nullable Receipt receipt) {
        Route route = route(message.topic);
        if (route.isEmpty()) {
            shard.counters().increment(Metric.NO_MATCH, null);
            if (receipt != null) {
                receipt.reason = ReasonCode.NO_MATCHING_SUBSCRIBERS;
            }
        }
        for (SharedGroupRef group : route.groups()) {
            toGroup(group, message, receipt);
            if (group.isFull()) {
                full = group;
            }
        }
        return route;
    }

    /** The match result stays with the interned topic for as long as the index does not change. */
    private Route route(Topic topic) {
        Object kept = topic.route;
        if (kept instanceof Route route && route.version() == index.version()) {
            return route;
        }
        Route route = matcher.route(topic);
        found += matcher.work();
        charge(matcher.work() + 1);
        routes.keep(topic, route);
        return route;
    }

    private void toGroup(SharedGroupRef group, Message message, @Nullable Receipt receipt) {
        Receipt waits = receipt != null && group.isDurable() ? receipt : null;
        if (waits != null) {
            waits.await();
            if (waits.mayComeAgain) {
                waits.takenBy(message, groups.taker(group));
            }
        }
        groups.send(group, message, waits);
    }

    private void tell(Route route, int from, int to, Message message, @Nullable Receipt receipt) {
        int self = shard.index();
        boolean looksForFull = load.isMemoryShort();
        boolean isAgain = receipt != null && receipt.isAgain;
        boolean single = to - from == 1;
        for (int i = from; i < to; i++) {
            Subscription subscription = route.at(i);
            if (subscription != null) {
                subscription = subscription.forPublisher(message.publisher);
            }
            if (subscription == null) {
                continue;
            }
            Recipient session = (Recipient) subscription.session;
            if (looksForFull && session.isFull()) {
                full = session;
            }
            if (isAgain && subscription.qos == 0) {
                continue; // At most once.
            }
            Receipt waits =
                    receipt != null
                                    && session.isAwaited()
                                    && Math.min(subscription.qos, message.qos) > 0
                            ? receipt
                            : null;
            if (waits != null) {
                waits.await();
                if (waits.mayComeAgain) {
                    waits.takenBy(message, session);
                }
            }
            int owner = session.owner();
            if (owner == self) {
                if (session.handOver() == null) {
                    DeliveryMail.deliver(session, message, subscription, waits);
                } else {
                    new DeliveryMail.One(message, subscription, waits, self).handle(shard, self);
                }
            } else if (single || waits != null) {
                shard.send(owner, new DeliveryMail.One(message, subscription, waits, self));
            } else {
                gather(owner, subscription, to - from);
            }
        }
        if (!single) {
            sendGathered(message);
        }
    }

    private void gather(int owner, Subscription subscription, int max) {
        if (remote.length == 0) {
            remote = new Subscription[shard.shards()][];
            remoteCount = new int[shard.shards()];
        }
        Subscription[] gathered = remote[owner];
        if (gathered == null || gathered.length == remoteCount[owner]) {
            gathered =
                    gathered == null
                            ? new Subscription[Math.min(max, 64)]
                            : Arrays.copyOf(gathered, gathered.length * 2);
            remote[owner] = gathered;
        }
        gathered[remoteCount[owner]++] = subscription;
    }

    private void sendGathered(Message message) {
        for (int i = 0; i < remoteCount.length; i++) {
            int count = remoteCount[i];
            if (count > 0) {
                remoteCount[i] = 0;
                shard.send(
                        i,
                        new DeliveryMail.Many(
                                message,
                                Arrays.copyOf(remote[i], count),
                                count,
                                null,
                                shard.index()));
            }
        }
    }

    /** A fan-out of more targets than one slice may take. */
    final class FanOut implements Sliced {
        private final Route route;
        private final Message message;
        private final @Nullable Receipt receipt;
        private final @Nullable Publishing publishing;
        private final boolean tells;
        private int next;

        private FanOut(
                Route route,
                Message message,
                @Nullable Receipt receipt,
                @Nullable Publishing publishing,
                boolean tells) {
            this.tells = tells;
            this.route = route;
            this.message = message;
            this.receipt = receipt;
            this.publishing = publishing;
        }

        int targetsLeft() {
            return route.count() - next;
        }

        @Override
        public boolean slice() {
            int sliceEnd = Math.min(route.count(), next + sliceMax);
            do {
                int end = Math.min(sliceEnd, next + STEP);
                tell(route, next, end, message, receipt);
                next = end;
            } while (next < sliceEnd && !shard.hasMuchToFlush());
            if (next < route.count()) {
                return false;
            }
            if (publishing != null) {
                tellOfFull(publishing);
                publishing.fannedOut(receipt);
            } else if (tells) {
                routed(receipt);
            }
            return true;
        }
    }
}
