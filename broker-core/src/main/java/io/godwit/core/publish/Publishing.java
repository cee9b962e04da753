package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.Utf8Check;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The publishing side of a connection; made with its first PUBLISH. Acknowledgements leave in the
 * order of the PUBLISHes [MQTT-4.6.0-2..4], each when its message is taken in by everyone it goes
 * to.
 */
public final class Publishing {
    /** Retained PUBLISHes that may be under way to the retained store's shard. */
    private static final int RETAINED_OUT_MAX = 1_000;

    private final PublisherLink connection;
    private final PublishContext context;
    private final Shard shard;
    private final PublisherSession session;
    private final AckOrder acks;
    private final InboundAliases aliases;

    /** Retained PUBLISHes whose route was not taken yet: nothing newer may overtake them. */
    private int retainedOut;

    private long retainedOutBytes;

    /**
     * PUBLISHes that were read and not routed yet, in order: they wait behind a retained one, or
     * are parked during an alarm.
     */
    private final ArrayDeque<Held> held = new ArrayDeque<>(0);

    private long heldBytes;
    private boolean fanningOut;

    /** Finding routes has taken enough of this turn: what was read goes on in a slice. */
    private boolean waitsForTurn;

    /** The session's; null while it has published nothing to another node. */
    private @Nullable NodePaths paths;

    /** What is held waits for a node's answer. */
    private boolean waitsForAnswer;

    /** A node that this client publishes to has enough to do. */
    private boolean waitsForRoom;

    /**
     * Whether an older client was refused a PUBLISH, which it cannot be told: what it publishes
     * counts no more, and is sent again when it is closed at the alarm's end. Until then its
     * acknowledgements are read.
     */
    private boolean refusedUntold;

    private @Nullable Runnable whenIdle;

    /** Who held more than its part when this client published to it, and may still do so. */
    private @Nullable RouteTarget fed;

    private record Held(Message message, @Nullable Receipt receipt) {}

    public Publishing(PublisherLink connection, PublisherSession session, PublishContext context) {
        this.connection = connection;
        this.context = context;
        this.shard = context.shard();
        this.session = session;
        this.acks = new AckOrder(connection, session, shard);
        this.aliases = new InboundAliases(context.mqtt().topicAliasMaximum());
        this.paths = session.nodePaths();
        if (paths != null) {
            paths.arrive(shard, context.router().nodes());
        }
    }

    /** Whether everything that was read is routed. */
    public boolean isIdle() {
        return !fanningOut && retainedOut == 0 && held.isEmpty();
    }

    /** Runs the task once everything that was read is routed: soon, or at once. */
    public void whenIdle(Runnable task) {
        if (isIdle()) {
            task.run();
        } else {
            whenIdle = task;
        }
    }

    private void tellIdle() {
        Runnable task = whenIdle;
        if (task != null && isIdle()) {
            whenIdle = null;
            task.run();
        }
    }

    /** Whether nothing more may be decoded, since order would be lost. */
    public boolean isPaused() {
        return fanningOut
                || waitsForTurn
                || context.load().isPeerBehind()
                || retainedOut >= RETAINED_OUT_MAX
                || retainedOutBytes > context.overload().parkedBytes()
                || !held.isEmpty()
                        && (retainedOut > 0
                                || waitsForAnswer
                                || isParkingFull() && !mustStayRead());
    }

    private boolean isParkingFull() {
        return heldBytes > context.overload().parkedBytes()
                || !held.isEmpty() && context.load().isParkingFull();
    }

    /** Whether the node, or someone that it publishes to, must not get more from it. */
    private boolean isBraked() {
        return context.load().isAlarm() || feedsFull();
    }

    private boolean feedsFull() {
        RouteTarget target = fed;
        if (target == null) {
            return false;
        }
        if (context.load().isMemoryShort() && target.isFull()) {
            return true;
        }
        fed = null;
        return false;
    }

    /** A message of this client went to a target that holds more than its part. */
    void feeds(RouteTarget full) {
        fed = full;
    }

    /**
     * Whether the brake waits for this client's acknowledgements: they must not stand behind a
     * PUBLISH.
     */
    private boolean mustStayRead() {
        return session.inFlightCount() > 0 && isBraked();
    }

    /** Whether a PUBLISH can neither be routed nor parked nor left unread. */
    private boolean mustRefuse() {
        return refusedUntold
                || mustStayRead()
                        && (isParkingFull()
                                || !connection.version().isV5()
                                        && acks.waiting() >= context.mqtt().receiveMaximum());
    }

    public boolean isRefusedUntold() {
        return refusedUntold;
    }

    private void closeIfRefused() {
        if (refusedUntold && held.isEmpty() && acks.waiting() == 0 && !isBraked()) {
            connection.close(ReasonCode.QUOTA_EXCEEDED, "a PUBLISH was refused", true);
        }
    }

    /**
     * Whether the socket is left unread: a subscriber of what this client publishes is behind, or
     * the node is.
     */
    public boolean mustWait() {
        return session.hasSlowSubscribers()
                || waitsForRoom
                || acks.waiting() >= context.mqtt().receiveMaximum() && !mustStayRead()
                || publishersWait();
    }

    /**
     * Whether this publisher's socket is left unread. During an alarm one that also has messages in
     * flight towards it stays read, so that its acknowledgements get through; its PUBLISHes are
     * parked.
     */
    private boolean publishersWait() {
        return context.load().isPeerBehind() || isBraked() && session.inFlightCount() == 0;
    }

    /** Whether something of this connection is on its way that will end by itself. */
    public boolean isUnderWay() {
        return fanningOut || waitsForTurn || retainedOut > 0 || context.load().isPeerBehind();
    }

    public long heldBytes() {
        return heldBytes;
    }

    public void onPublish(PublishFrame frame) {
        if (frame.qos > context.mqtt().maximumQos()) {
            throw new ProtocolViolation(
                    ReasonCode.QOS_NOT_SUPPORTED, "QoS " + frame.qos + " is not offered");
        }
        if (frame.retain && !context.mqtt().retainAvailable()) {
            throw new ProtocolViolation(ReasonCode.RETAIN_NOT_SUPPORTED, "RETAIN is not offered");
        }
        Topic topic = aliases.resolve(frame.topic, frame.topicAlias);
        shard.counters().increment(Metric.PUBLISH_RECEIVED, connection.version());
        if (frame.qos == 0) {
            if (mustRefuse()) {
                shard.counters().increment(Metric.DROPPED_QOS0_ALARM, connection.version());
            } else if (mayPublish(frame, topic) == null) {
                route(message(frame, topic, context.ids().nextIngressCounter()), null);
            }
            return;
        }
        InboundReceipt again = null;
        if (frame.qos == 2) {
            Receipt before = session.inboundQos2(frame.packetId);
            if (before instanceof InboundReceipt kept && kept.routesAgain) {
                again = kept;
            } else if (before != null && !before.hasFailed()) {
                acks.onRepeated(before);
                return;
            }
        }
        if (acks.unacknowledged() >= context.mqtt().receiveMaximum()
                && connection.version().isV5()) {
            throw new ProtocolViolation(
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED,
                    "more than " + context.mqtt().receiveMaximum() + " unacknowledged");
        }
        boolean refuses = mustRefuse();
        if (refuses) {
            shard.counters().increment(Metric.REFUSED_ALARM, connection.version());
            if (!connection.version().isV5()) {
                refusedUntold = true;
                connection.watch();
                return;
            }
        }
        ReasonCode refusal = refuses ? ReasonCode.QUOTA_EXCEEDED : mayPublish(frame, topic);
        if (refusal == null && isRefusedByNodes(topic)) {
            shard.counters().increment(Metric.REFUSED_NODE_AWAY);
            refusal = ReasonCode.QUOTA_EXCEEDED;
        }
        if (refusal != null) {
            Receipt receipt = new Receipt(connection, frame.packetId, frame.qos);
            acks.add(receipt);
            receipt.reason = refusal;
            receipt.routed();
            if (again != null && refusal.isError()) {
                acks.freePacketId(receipt);
            }
            sendAcks();
            return;
        }
        long ingress =
                again == null ? context.ids().nextIngressCounter() : again.inbound.ingressCounter;
        Receipt receipt = receipt(frame, ingress, again);
        acks.add(receipt);
        route(message(frame, topic, ingress), receipt);
    }

    /**
     * Whether it would wait for a node that is away, and its client can be told that it may not.
     */
    private boolean isRefusedByNodes(Topic topic) {
        NodeRef[] to = context.router().nodesOf(topic);
        return to.length > 0 && connection.version().isV5() && context.router().nodes().refuses(to);
    }

    private Receipt receipt(PublishFrame frame, long ingress, @Nullable InboundReceipt again) {
        if (frame.qos == 1) {
            return new Receipt(connection, frame.packetId, 1);
        }
        Receipt receipt = session.putInboundQos2(connection, frame.packetId, ingress, again);
        if (session.isDurable()) {
            receipt.await();
            shard.afterCommit(receipt::targetDone);
        }
        return receipt;
    }

    /**
     * @return null when the client may, else why not; closes an older client, which cannot be told
     */
    private @Nullable ReasonCode mayPublish(PublishFrame frame, Topic topic) {
        if (frame.payloadIsText
                && !Utf8Check.isText(frame.buffer, frame.payloadIndex, frame.payloadLength)) {
            if (frame.qos == 0) {
                throw new ProtocolViolation(
                        ReasonCode.PAYLOAD_FORMAT_INVALID, "payload is not UTF-8");
            }
            return ReasonCode.PAYLOAD_FORMAT_INVALID;
        }
        if (topic.hasMoreLevels(context.limits().topicLevels())) {
            throw new ProtocolViolation(
                    ReasonCode.TOPIC_NAME_INVALID,
                    "more than " + context.limits().topicLevels() + " topic levels");
        }
        if (!context.accessControl().mayPublish(session.clientId(), topic)) {
            return ReasonCode.NOT_AUTHORIZED;
        }
        return null;
    }

    private Message message(PublishFrame frame, Topic topic, long ingressCounter) {
        return new Message(
                topic,
                frame.copyPayload(),
                frame.forwardedProperties,
                frame.qos,
                frame.retain,
                frame.expirySeconds < 0
                        ? Message.NEVER
                        : shard.wallMs() + frame.expirySeconds * 1000,
                session.clientId(),
                context.serverId(),
                ingressCounter);
    }

    private void route(Message message, @Nullable Receipt receipt) {
        if (!held.isEmpty() || mustHold(message)) {
            held.add(new Held(message, receipt));
            heldBytes += message.accountedBytes();
            context.load().parked(message.accountedBytes());
            connection.watch();
            return;
        }
        routeNow(message, receipt);
    }

    private boolean mustHold(Message message) {
        return isBehind(message) || mustStayRead();
    }

    /** Whether the message would overtake an earlier one. */
    private boolean isBehind(Message message) {
        return fanningOut
                || retainedOut > 0 && !message.retain
                || paths != null && waitsForAnswer(paths, message);
    }

    private boolean waitsForAnswer(NodePaths open, Message message) {
        if (waitsForAnswer) {
            return true;
        }
        NodeRef[] nodes = context.router().nodesOf(message.topic);
        if (!open.mustWait(message, nodes)) {
            return false;
        }
        waitsForAnswer = true;
        open.whenAnswered(message.topic, nodes, this::answered);
        return true;
    }

    /** A node has answered for what something that is held waits for. */
    private void answered() {
        waitsForAnswer = false;
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /** A message of this client went to other nodes. */
    private void wentTo(NodeRef[] nodes, Message message) {
        NodeSender sender = context.router().nodes();
        NodePaths open = paths;
        if (open == null) {
            open = new NodePaths(shard, sender);
            paths = open;
            session.nodePaths(open);
        }
        if (!message.retain) {
            open.sent(message.topic, nodes);
        }
        for (NodeRef node : nodes) {
            if (!waitsForRoom && !sender.hasRoom(node)) {
                waitsForRoom = true;
                sender.whenRoom(node, this::hasRoom);
            }
        }
    }

    private void hasRoom() {
        waitsForRoom = false;
        connection.resumeDecoding();
    }

    /**
     * Routes what was held, as far as it may go now: what is parked stays so until the alarm ends,
     * but for what a client has left behind that is gone, so that its session can move.
     */
    public void drainHeld() {
        Held first;
        while ((first = held.peek()) != null
                && !isBehind(first.message())
                && (connection.isClosed() || !isBraked())) {
            held.remove();
            heldBytes -= first.message().accountedBytes();
            context.load().parked(-first.message().accountedBytes());
            routeNow(first.message(), first.receipt());
        }
        closeIfRefused();
    }

    private void routeNow(Message message, @Nullable Receipt receipt) {
        NodePaths open = paths;
        NodeRef[] late =
                open == null
                        ? NodePaths.NONE
                        : open.sendLate(message, context.router().nodesOf(message.topic), receipt);
        if (message.retain && !context.router().keepsRetained()) {
            retainedOut++;
            retainedOutBytes += message.accountedBytes();
            if (receipt != null) {
                receipt.await();
            }
            context.router().publishElsewhere(message, receipt, this, late);
            return;
        }
        Router router = context.router();
        fanningOut = !router.publish(message, receipt, this, late);
        if (router.routes().hasFoundTooMuch() && !waitsForTurn) {
            waitsForTurn = true;
            shard.slice(this::nextTurn);
        }
        NodeRef[] nodes = router.wentTo();
        if (nodes.length > 0) {
            wentTo(nodes, message);
        }
        if (message.retain && router.nodes() != NodeSender.ALONE) {
            retainedOut++;
            retainedOutBytes += message.accountedBytes();
            router.nodes().whenRetainedAnswered(() -> retainedAnswered(message));
        }
        if (!fanningOut) {
            routed(receipt);
        }
    }

    /** Retained by this very shard: the other nodes have it. */
    private void retainedAnswered(Message message) {
        retainedOut--;
        retainedOutBytes -= message.accountedBytes();
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /** Called when every target of a large fan-out was told. */
    void fannedOut(@Nullable Receipt receipt) {
        fanningOut = false;
        routed(receipt);
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /** Called when the retained store's shard has routed a retained PUBLISH. */
    void retainedRouted(Message message, @Nullable Receipt receipt) {
        retainedOut--;
        retainedOutBytes -= message.accountedBytes();
        routed(receipt);
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /** Goes on with what was read, after finding routes has taken enough of a turn. */
    private boolean nextTurn() {
        waitsForTurn = false;
        connection.resumeDecoding();
        return true;
    }

    private void routed(@Nullable Receipt receipt) {
        if (receipt != null && receipt.routed()) {
            sendAcks();
        }
    }

    /** Sends the acknowledgements that may leave now. */
    public void sendAcks() {
        acks.send();
        closeIfRefused();
    }

    /** Counts a PUBREL that came. */
    public void onPubRel(boolean known) {
        acks.onPubRel(known);
    }

    public void onConnectionLost() {
        acks.onConnectionLost();
        drainHeld();
    }
}
