package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.Subscriber;
import io.godwit.core.load.QueueAccounts;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.publish.InboundReceipt;
import io.godwit.core.publish.NodePaths;
import io.godwit.core.publish.PublisherLink;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.publish.Publishing;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Inbound;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that publishes: the QoS 2 PUBLISHes of its client whose PUBREL has not
 * come, what the last connection has left to route, and who is behind with it. A class of its own,
 * and no object, since every session has one.
 */
abstract class PublishingSession extends Subscriber implements PublisherSession {
    private @Nullable PublisherState publisher;

    PublishingSession(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** The context of the shard that owns the session now. */
    abstract SessionContext context();

    abstract @Nullable ClientLink connection();

    private PublisherState publisher() {
        PublisherState made = publisher;
        if (made == null) {
            made = new PublisherState();
            made.inbound.enter(context().load().queues());
            publisher = made;
        }
        return made;
    }

    @Override
    public @Nullable NodePaths nodePaths() {
        return publisher == null ? null : publisher.paths;
    }

    @Override
    public void nodePaths(NodePaths made) {
        publisher().paths = made;
    }

    @Override
    public final void forgetIdlePaths() {
        if (connection() == null) {
            forgetPublisher();
        }
    }

    private void forgetPublisher() {
        if (publisher != null && publisher.isEmpty()) {
            publisher = null;
        }
    }

    // ---------------------------------------------------------------- inbound QoS 2

    @Override
    public @Nullable Receipt inboundQos2(int packetId) {
        return publisher == null ? null : publisher.inbound.get(packetId);
    }

    /**
     * @param again what the restart has found of this PUBLISH, which is kept already; else null
     */
    @Override
    public Receipt putInboundQos2(
            PublisherLink from, int packetId, long ingressCounter, @Nullable InboundReceipt again) {
        return publisher()
                .inbound
                .put(this, from, packetId, context().serverId(), ingressCounter, again);
    }

    /** Takes up a QoS 2 PUBLISH that was kept; called at start. */
    public Qos2Receipt recoverInbound(Inbound kept) {
        return publisher().inbound.recover(this, kept);
    }

    @Override
    public boolean removeInboundQos2(int packetId) {
        return publisher != null && publisher.inbound.remove(packetId, context().shard());
    }

    @Override
    public void giveUpInboundQos2(Receipt receipt) {
        if (publisher != null && !isEnded()) {
            publisher.inbound.giveUp(this, receipt);
        }
    }

    /** Drops what its client has published and is not routed: none was acknowledged. */
    public final void giveUpUnrouted() {
        ClientLink link = connection();
        Publishing publishing = link == null ? null : link.publishing();
        Publishing left = publisher == null ? null : publisher.left(); // The session may go now.
        if (publishing != null) {
            publishing.giveUpUnrouted();
        }
        if (left != null) {
            left.giveUpUnrouted();
        }
    }

    /** Has QoS 2 PUBLISHes that not every target has routed once more when they come again. */
    final void giveUpInbound() {
        if (publisher != null && !isEnded()) {
            publisher.inbound.giveUpUntaken(this);
        }
    }

    @Override
    public void onTakersKnown(Qos2Receipt receipt) {
        Shard shard = context().shard();
        if (!publisher().inbound.charge(receipt, shard)) {
            shard.counters().increment(Metric.INGRESS_FORGOTTEN);
        }
    }

    @Override
    public void onTakersRecovered(Qos2Receipt receipt) {
        publisher().inbound.charge(receipt);
    }

    /** Counts on this shard from now on. */
    final void enterInbound(QueueAccounts at) {
        if (publisher != null) {
            publisher.inbound.enter(at);
        }
    }

    /** Does not count on its shard any more. */
    final void uncountInbound() {
        if (publisher != null) {
            publisher.inbound.leave();
        }
    }

    public int inboundQos2Count() {
        return publisher == null ? 0 : publisher.inbound.size();
    }

    /**
     * Releases the QoS 2 PUBLISHes of a session that has ended: its client sends none of them
     * again. Unless something is still to be routed, nothing of it as a publisher is left, though
     * messages that others have still name the session.
     */
    final void releaseInbound() {
        if (publisher != null) {
            publisher.inbound.release(context().shard());
            forgetPublisher();
        }
    }

    /**
     * Lets go of the QoS 2 PUBLISHes of a session that another node goes on with: its client may
     * send them again there, so whoever remembers them goes on doing so until that node says that
     * they are over.
     */
    final void letGoOfInbound() {
        if (publisher != null) {
            Map<IngressId, Takers> remembered = new HashMap<>();
            publisher.inbound.letGo(remembered);
            context().letGo(remembered);
            forgetPublisher();
        }
    }

    /**
     * Moves with the session to another shard: receipts stay on the one that made them, and tell
     * the other.
     */
    final void leaveInbound(int newOwner) {
        if (publisher != null) {
            publisher.inbound.move(context().shard(), newOwner);
            if (publisher.paths != null) {
                publisher.paths.leave();
            }
        }
    }

    // ---------------------------------------------------------------- what is on its way

    /** Notes that the connection is gone; what it has published may still have to be routed. */
    final void publishesNoMore(ClientLink lost) {
        Publishing left = lost.publishing();
        if (left != null && !left.isIdle()) {
            publisher().left(left);
        } else {
            forgetPublisher();
        }
    }

    /**
     * Runs the task once the session may go to its new connection. Nobody waits for wills: what is
     * owed goes with the session, or stays with one that has ended.
     */
    public final void whenReleasable(Runnable task) {
        Publishing left = publisher == null ? null : publisher.left();
        if (isEnded() || left == null) {
            task.run();
        } else {
            // What its client publishes next must not overtake what it has published before.
            left.whenIdle(task);
        }
    }

    // ---------------------------------------------------------------- who is behind

    @Override
    public boolean hasSlowSubscribers() {
        return publisher != null && publisher.hasSlowSubscribers();
    }

    /** Notes that a subscriber is behind with what this session publishes, or has caught up. */
    public void slowSubscriber(SlowSubscriber subscriber, boolean waits) {
        if (isEnded()) {
            context().shard().send(subscriber.shard(), subscriber.publisherGone(this));
            return;
        }
        publisher().slowSubscriber(subscriber, waits);
        ClientLink link = connection();
        if (link != null) {
            link.checkReading();
        }
    }

    /**
     * Tells the slow subscribers of a session that has ended that it need not hear of them any
     * more.
     */
    final void forgetSlowSubscribers() {
        if (publisher != null) {
            publisher.forgetSlowSubscribers(this, context().shard());
        }
    }

    /** Whether anything is remembered of its client as a publisher. */
    final boolean remembersPublishes() {
        return publisher != null;
    }
}
