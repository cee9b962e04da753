package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.auth.Access;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.shard.Shard;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which PUBLISHes of a connection are refused: those that a check or a limit forbids, those that
 * can neither be routed nor parked nor left unread, and, where that is asked for, those that would
 * wait for a node that is away. A client before MQTT 5.0 cannot be told.
 */
final class PublishRefusals {
    private final PublisherLink connection;
    private final Shard shard;
    private final LimitSettings limits;
    private final BooleanSupplier isParkedOut;
    private final AckOrder acks;
    private final HeldPublishes held;
    private final PublisherBrake brake;
    private final Predicate<Topic> isRefusedForNodes;

    /**
     * Whether an older client was refused a PUBLISH, which it cannot be told, or any client one
     * that it must not be told of: what it publishes counts no more, and is sent again when it is
     * closed at the alarm's end. Until then its acknowledgements are read.
     */
    private boolean untold;

    /**
     * When so many acknowledgements have left, the client has been told of each refusal for want of
     * room. Until then its connection may end, and what was refused comes again as something new:
     * nothing that was published later may go before it.
     */
    private long toldAtLeft;

    private final UntoldTopics untoldTopics;

    /**
     * @param isParkedOut whether no more can be parked
     * @param isRefusedForNodes whether a message of this topic would wait for another node, and may
     *     not
     */
    PublishRefusals(
            PublisherLink connection,
            Shard shard,
            LimitSettings limits,
            BooleanSupplier isParkedOut,
            AckOrder acks,
            HeldPublishes held,
            PublisherBrake brake,
            Predicate<Topic> isRefusedForNodes) {
        this.connection = connection;
        this.shard = shard;
        this.limits = limits;
        this.isParkedOut = isParkedOut;
        this.acks = acks;
        this.held = held;
        this.brake = brake;
        this.isRefusedForNodes = isRefusedForNodes;
        this.untoldTopics = new UntoldTopics(acks);
    }

    boolean isUntold() {
        return untold;
    }

    /** Whether a PUBLISH can neither be routed nor parked nor left unread. */
    boolean mustRefuse() {
        return untold || brake.mustStayRead() && isParkedOut.getAsBoolean();
    }

    /** What the checks say of a PUBLISH; null when it may go on. */
    @Nullable ReasonCode ofChecks(PublishFrame frame, Topic topic, Access access) {
        return PublishChecks.refusal(limits, access, frame, topic);
    }

    /**
     * Refuses a PUBLISH of QoS 1 or 2, if it is to be.
     *
     * @param access says what the client may do
     * @param isAgain whether an earlier start has taken it in, and perhaps routed it: for want of
     *     room its client is not told, for after a PUBREC that refuses it may send it once more,
     *     and that is a new message [MQTT-4.3.3-9], which those who had it would get twice
     */
    boolean refuses(PublishFrame frame, Topic topic, Access access, boolean isAgain) {
        ReasonCode refusal;
        boolean isForNode = false;
        boolean wantsRoom = mustRefuse() || acks.left() < toldAtLeft;
        if (wantsRoom) {
            shard.counters().increment(Metric.REFUSED_ALARM, connection.version());
            if (untold || isAgain || !connection.version().isV5()) {
                untold = true;
                connection.watch();
                return true;
            }
            refusal = ReasonCode.QUOTA_EXCEEDED;
        } else {
            refusal = ofChecks(frame, topic, access);
            isForNode =
                    refusal == null
                            && connection.version().isV5()
                            && (isRefusedForNodes.test(topic) || untoldTopics.has(topic));
            if (isForNode) {
                shard.counters().increment(Metric.REFUSED_NODE_AWAY);
                refusal = ReasonCode.QUOTA_EXCEEDED;
            }
        }
        if (refusal != null) {
            answer(frame.packetId, frame.qos, refusal);
            if (wantsRoom) {
                toldAtLeft = acks.left() + acks.waiting();
            } else if (isForNode) {
                untoldTopics.add(topic, false);
            }
        }
        return refusal != null;
    }

    /** Whether a PUBLISH that was held would go before one that was refused. */
    boolean isBehindRefused(Message held, @Nullable Receipt receipt) {
        return receipt != null && untoldTopics.wasHeldBefore(held.topic);
    }

    /** Refuses one that was to be routed when its node went away. */
    void refuseForNode(Message held, @Nullable Receipt receipt) {
        if (receipt == null) {
            shard.counters().increment(Metric.DROPPED_QOS0_NODE);
            return;
        }
        shard.counters().increment(Metric.REFUSED_NODE_AWAY);
        receipt.reason = ReasonCode.QUOTA_EXCEEDED;
        if (receipt.routed()) {
            acks.send();
        }
        untoldTopics.add(held.topic, true);
    }

    /** A packet id that is in use is freed with the answer, not before: that may never leave. */
    void answer(int packetId, int qos, ReasonCode refusal) {
        Receipt receipt = new Receipt(connection, packetId, qos);
        acks.add(receipt);
        receipt.reason = refusal;
        receipt.routed();
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
