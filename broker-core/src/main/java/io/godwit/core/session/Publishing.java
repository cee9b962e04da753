package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.Utf8Check;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The publishing side of a connection; made with its first PUBLISH. Acknowledgements leave in the
 * order of the PUBLISHes [MQTT-4.6.0-2..4], each when its message is taken in by everyone it goes
 * to.
 */
final class Publishing {
    /** Retained PUBLISHes that may be under way to the retained store's shard. */
    private static final int RETAINED_OUT_MAX = 1_000;

    private final ClientConnection connection;
    private final SessionShard shard;
    private final Session session;
    private final ArrayDeque<Receipt> waiting = new ArrayDeque<>(0);
    private @Nullable Topic[] aliases = new Topic[0];

    /** QoS 1 without PUBACK and QoS 2 without PUBCOMP, sent by the client. */
    private int unacknowledged;

    /** Retained PUBLISHes whose route was not taken yet: nothing newer may overtake them. */
    private int retainedOut;

    private long retainedOutBytes;

    /** Read, in order, and not routed yet: behind a retained PUBLISH, or parked during an alarm. */
    private final ArrayDeque<Held> held = new ArrayDeque<>(0);

    private long heldBytes;
    private boolean fanningOut;

    /**
     * An older client that was refused a PUBLISH, which it cannot be told: what it publishes counts
     * no more, and is sent again when it is closed at the alarm's end. Until then its
     * acknowledgements are read.
     */
    private boolean refusedUntold;

    private @Nullable Runnable whenIdle;

    private record Held(Message message, @Nullable Receipt receipt) {}

    Publishing(ClientConnection connection, Session session) {
        this.connection = connection;
        this.shard = connection.shard;
        this.session = session;
    }

    /** Everything that was read is routed. */
    boolean isIdle() {
        return !fanningOut && retainedOut == 0 && held.isEmpty();
    }

    /** Has the task run once everything that was read is routed: soon, or at once. */
    void whenIdle(Runnable task) {
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

    /** Nothing more is decoded: order would be lost. */
    boolean isPaused() {
        return fanningOut
                || retainedOut >= RETAINED_OUT_MAX
                || retainedOutBytes > shard.overload().parkedBytes()
                || !held.isEmpty() && (retainedOut > 0 || isParkingFull() && !mustStayRead());
    }

    private boolean isParkingFull() {
        return heldBytes > shard.overload().parkedBytes()
                || !held.isEmpty() && shard.load().isParkingFull();
    }

    /** Its acknowledgements are what the alarm waits for: they must not stand behind a PUBLISH. */
    private boolean mustStayRead() {
        return session.inFlightCount() > 0 && shard.load().isAlarm();
    }

    /** Whether a PUBLISH can neither be routed nor parked nor left unread. */
    private boolean mustRefuse() {
        return refusedUntold
                || mustStayRead()
                        && (isParkingFull()
                                || !connection.version.isV5()
                                        && waiting.size() >= shard.mqtt().receiveMaximum());
    }

    boolean isRefusedUntold() {
        return refusedUntold;
    }

    private void closeIfRefused() {
        if (refusedUntold && held.isEmpty() && waiting.isEmpty() && !shard.load().isAlarm()) {
            connection.close(ReasonCode.QUOTA_EXCEEDED, "a PUBLISH was refused", true);
        }
    }

    /** The socket is not read: someone this client publishes to is behind, or the node is. */
    boolean mustWait() {
        return session.hasSlowSubscribers()
                || waiting.size() >= shard.mqtt().receiveMaximum() && !mustStayRead()
                || shard.brake().stops(session);
    }

    /** Whether something of this connection is on its way that will end by itself. */
    boolean isUnderWay() {
        return fanningOut || retainedOut > 0;
    }

    long heldBytes() {
        return heldBytes;
    }

    void onPublish(PublishFrame frame) {
        if (frame.qos > shard.mqtt().maximumQos()) {
            throw new ProtocolViolation(
                    ReasonCode.QOS_NOT_SUPPORTED, "QoS " + frame.qos + " is not offered");
        }
        if (frame.retain && !shard.mqtt().retainAvailable()) {
            throw new ProtocolViolation(ReasonCode.RETAIN_NOT_SUPPORTED, "RETAIN is not offered");
        }
        Topic topic = topic(frame);
        shard.counters().increment(Metric.PUBLISH_RECEIVED, connection.version);
        if (frame.qos == 0) {
            if (mustRefuse()) {
                shard.counters().increment(Metric.DROPPED_QOS0_ALARM, connection.version);
            } else if (mayPublish(frame, topic) == null) {
                route(message(frame, topic, shard.ids().nextIngressCounter()), null);
            }
            return;
        }
        InboundReceipt again = null;
        if (frame.qos == 2) {
            Receipt before = session.inboundQos2(frame.packetId);
            if (before instanceof InboundReceipt kept && kept.routesAgain) {
                again = kept;
            } else if (before != null && !before.hasFailed()) {
                onRepeated(before);
                return;
            }
        }
        if (unacknowledged >= shard.mqtt().receiveMaximum() && connection.version.isV5()) {
            throw new ProtocolViolation(
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED,
                    "more than " + shard.mqtt().receiveMaximum() + " unacknowledged");
        }
        boolean refuses = mustRefuse();
        if (refuses) {
            shard.counters().increment(Metric.REFUSED_ALARM, connection.version);
            if (!connection.version.isV5()) {
                refusedUntold = true;
                shard.brake().watch(connection);
                return;
            }
        }
        unacknowledged++;
        ReasonCode refusal = refuses ? ReasonCode.QUOTA_EXCEEDED : mayPublish(frame, topic);
        if (refusal != null) {
            Receipt receipt = new Receipt(connection, frame.packetId, frame.qos);
            waiting.add(receipt);
            receipt.reason = refusal;
            receipt.routed();
            if (again != null && refusal.isError()) {
                releaseFirst(receipt);
            }
            sendAcks();
            return;
        }
        long ingress =
                again == null ? shard.ids().nextIngressCounter() : again.inbound.ingressCounter;
        Receipt receipt = receipt(frame, ingress, again);
        waiting.add(receipt);
        route(message(frame, topic, ingress), receipt);
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
        if (topic.levels() > shard.limits().topicLevels()) {
            throw new ProtocolViolation(
                    ReasonCode.TOPIC_NAME_INVALID,
                    "more than " + shard.limits().topicLevels() + " topic levels");
        }
        if (!shard.accessControl().mayPublish(session.clientId(), topic)) {
            return ReasonCode.NOT_AUTHORIZED;
        }
        return null;
    }

    /** A QoS 2 PUBLISH that comes again is the one that was taken in; PUBREC is sent (again). */
    private void onRepeated(Receipt before) {
        if (before.connection != connection) {
            before.connection = connection;
            unacknowledged++;
            if (!before.isDone()) {
                waiting.add(before);
                return;
            }
        }
        if (before.isDone() && !waiting.contains(before)) {
            acknowledge(before);
        }
    }

    private Topic topic(PublishFrame frame) {
        Topic topic = frame.topic;
        int alias = frame.topicAlias;
        if (alias == 0) {
            if (topic == null) {
                throw new ProtocolViolation(
                        ReasonCode.PROTOCOL_ERROR, "neither Topic Name nor Topic Alias");
            }
            return topic;
        }
        if (alias > shard.mqtt().topicAliasMaximum()) {
            throw new ProtocolViolation(
                    ReasonCode.TOPIC_ALIAS_INVALID,
                    "Topic Alias " + alias + " above " + shard.mqtt().topicAliasMaximum());
        }
        if (topic != null) {
            if (alias > aliases.length) {
                aliases =
                        Arrays.copyOf(
                                aliases,
                                Math.min(
                                        shard.mqtt().topicAliasMaximum(),
                                        Math.max(alias, aliases.length * 2)));
            }
            aliases[alias - 1] = topic;
            return topic;
        }
        Topic known = alias <= aliases.length ? aliases[alias - 1] : null;
        if (known == null) {
            throw new ProtocolViolation(
                    ReasonCode.PROTOCOL_ERROR, "Topic Alias " + alias + " was never set");
        }
        return known;
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
                shard.serverId(),
                ingressCounter);
    }

    private void route(Message message, @Nullable Receipt receipt) {
        if (!held.isEmpty() || mustHold(message)) {
            held.add(new Held(message, receipt));
            heldBytes += message.accountedBytes();
            shard.load().parked(message.accountedBytes());
            shard.brake().watch(connection);
            return;
        }
        routeNow(message, receipt);
    }

    private boolean mustHold(Message message) {
        return isBehind(message) || mustStayRead();
    }

    /** Whether it would overtake an earlier one. */
    private boolean isBehind(Message message) {
        return fanningOut || retainedOut > 0 && !message.retain;
    }

    /**
     * Routes what was held, as far as it may go now: what is parked stays so until the alarm ends,
     * but for what a client has left behind that is gone, so that its session can move.
     */
    void drainHeld() {
        Held first;
        while ((first = held.peek()) != null
                && !isBehind(first.message())
                && (connection.isClosed() || !shard.load().isAlarm())) {
            held.remove();
            heldBytes -= first.message().accountedBytes();
            shard.load().parked(-first.message().accountedBytes());
            routeNow(first.message(), first.receipt());
        }
        closeIfRefused();
    }

    private void routeNow(Message message, @Nullable Receipt receipt) {
        if (message.retain && !shard.ownsIndex()) {
            retainedOut++;
            retainedOutBytes += message.accountedBytes();
            if (receipt != null) {
                receipt.await();
            }
            shard.sendAfterAll(
                    SessionShard.INDEX_SHARD,
                    new RetainedMail.Publish(message, receipt, connection, shard.index()));
            return;
        }
        fanningOut = !shard.publish(message, receipt, this);
        if (!fanningOut) {
            routed(receipt);
        }
    }

    /** Every target of a large fan-out was told. */
    void fannedOut(@Nullable Receipt receipt) {
        fanningOut = false;
        routed(receipt);
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    /** The retained store's shard has routed it. */
    void retainedRouted(Message message, @Nullable Receipt receipt) {
        retainedOut--;
        retainedOutBytes -= message.accountedBytes();
        routed(receipt);
        drainHeld();
        tellIdle();
        connection.resumeDecoding();
    }

    private void routed(@Nullable Receipt receipt) {
        if (receipt != null && receipt.routed()) {
            sendAcks();
        }
    }

    void sendAcks() {
        Receipt first;
        while ((first = waiting.peek()) != null && first.isDone()) {
            boolean freesId =
                    !connection.isClosed()
                            && first.qos == 2
                            && first.reason.isError()
                            && !first.hasFailed()
                            && connection.version.isV5();
            if (freesId && releaseFirst(first) && !first.isDone()) {
                break;
            }
            waiting.remove();
            acknowledge(first);
        }
        closeIfRefused();
    }

    /**
     * A PUBREC that refuses frees the packet id: it leaves when that is kept, or else another
     * message would be taken for this one after a crash.
     *
     * @return whether the id was in use
     */
    private boolean releaseFirst(Receipt receipt) {
        if (!session.removeInboundQos2(receipt.packetId)) {
            return false;
        }
        if (session.isDurable()) {
            receipt.await();
            shard.afterCommit(receipt::targetDone);
        }
        return true;
    }

    private void acknowledge(Receipt receipt) {
        if (connection.isClosed()) {
            return;
        }
        if (receipt.hasFailed()) {
            session.removeInboundQos2(receipt.packetId);
            connection.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            return;
        }
        boolean error = receipt.reason.isError();
        // A 3.x client is acknowledged all the same, and its message goes nowhere [MQTT-3.3.5-2].
        if (receipt.qos == 1) {
            unacknowledged--;
            connection.sendAck(PacketType.PUBACK, receipt.packetId, receipt.reason.code());
        } else {
            if (error && connection.version.isV5()) {
                unacknowledged--;
            }
            connection.sendAck(PacketType.PUBREC, receipt.packetId, receipt.reason.code());
        }
    }

    void onPubRel(boolean known) {
        if (known && unacknowledged > 0) {
            unacknowledged--;
        }
    }

    void onConnectionLost() {
        for (Receipt receipt : waiting) {
            receipt.connection = null;
        }
        waiting.clear();
        drainHeld();
    }
}
