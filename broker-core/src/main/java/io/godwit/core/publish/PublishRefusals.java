package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * Which PUBLISHes of a connection are refused: those that a check or a limit forbids, those that
 * can neither be routed nor parked nor left unread, and, where that is asked for, those that would
 * wait for a node that is away. A client before MQTT 5.0 cannot be told.
 */
final class PublishRefusals {
    private final PublisherLink connection;
    private final PublishContext context;
    private final PublisherSession session;
    private final AckOrder acks;
    private final HeldPublishes held;
    private final PublisherBrake brake;

    /**
     * Whether an older client was refused a PUBLISH, which it cannot be told: what it publishes
     * counts no more, and is sent again when it is closed at the alarm's end. Until then its
     * acknowledgements are read.
     */
    private boolean untold;

    PublishRefusals(
            PublisherLink connection,
            PublishContext context,
            PublisherSession session,
            AckOrder acks,
            HeldPublishes held,
            PublisherBrake brake) {
        this.connection = connection;
        this.context = context;
        this.session = session;
        this.acks = acks;
        this.held = held;
        this.brake = brake;
    }

    boolean isUntold() {
        return untold;
    }

    /** Whether a PUBLISH can neither be routed nor parked nor left unread. */
    boolean mustRefuse() {
        return untold
                || brake.mustStayRead()
                        && (held.isFull()
                                || !connection.version().isV5()
                                        && acks.waiting() >= context.mqtt().receiveMaximum());
    }

    /** What the checks say of a PUBLISH; null when it may go on. */
    @Nullable ReasonCode ofChecks(PublishFrame frame, Topic topic) {
        return PublishChecks.refusal(
                context.limits(), context.accessControl(), session.clientId(), frame, topic);
    }

    /**
     * Refuses a PUBLISH of QoS 1 or 2, if it is to be.
     *
     * @param isAgain whether its packet id is in use since it came first
     */
    boolean refuses(PublishFrame frame, Topic topic, boolean isAgain) {
        ReasonCode refusal;
        if (mustRefuse()) {
            context.shard().counters().increment(Metric.REFUSED_ALARM, connection.version());
            if (!connection.version().isV5()) {
                untold = true;
                connection.watch();
                return true;
            }
            refusal = ReasonCode.QUOTA_EXCEEDED;
        } else {
            refusal = ofChecks(frame, topic);
            if (refusal == null && isForNodesThatAreAway(topic)) {
                context.shard().counters().increment(Metric.REFUSED_NODE_AWAY);
                refusal = ReasonCode.QUOTA_EXCEEDED;
            }
        }
        if (refusal != null) {
            answer(frame, refusal, isAgain);
        }
        return refusal != null;
    }

    private boolean isForNodesThatAreAway(Topic topic) {
        return context.router().nodes().refusesForAway()
                && connection.version().isV5()
                && context.router().awaitsNodes(topic);
    }

    private void answer(PublishFrame frame, ReasonCode refusal, boolean isAgain) {
        Receipt receipt = new Receipt(connection, frame.packetId, frame.qos);
        acks.add(receipt);
        receipt.reason = refusal;
        receipt.routed();
        if (isAgain && refusal.isError()) {
            acks.freePacketId(receipt);
        }
        acks.send();
        closeIfRefused();
    }

    /** Closes the connection of who could not be told, once nothing of it is under way. */
    void closeIfRefused() {
        if (untold && held.isEmpty() && acks.waiting() == 0 && !brake.isOn()) {
            connection.close(ReasonCode.QUOTA_EXCEEDED, "a PUBLISH was refused", true);
        }
    }
}
