package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.metrics.Delay;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.FreshQueue;
import io.godwit.core.shard.Shard;

/**
 * PUBACK and PUBREC of one connection: they leave in the order of the PUBLISHes [MQTT-4.6.0-2..4],
 * each when its message is taken in by everyone it goes to.
 */
final class AckOrder {
    private final PublisherLink connection;
    private final PublisherSession session;
    private final Shard shard;
    private final FreshQueue<Receipt> waiting = new FreshQueue<>();

    /** How many PUBLISHes of the client have no PUBACK (QoS 1) or PUBCOMP (QoS 2) yet. */
    private int unacknowledged;

    /** How many acknowledgements have left. */
    private long left;

    AckOrder(PublisherLink connection, PublisherSession session, Shard shard) {
        this.connection = connection;
        this.session = session;
        this.shard = shard;
    }

    /** How many acknowledgements have not left. */
    int waiting() {
        return waiting.size();
    }

    /** How many acknowledgements have left. */
    long left() {
        return left;
    }

    /** How many PUBLISHes of the client have no PUBACK (QoS 1) or PUBCOMP (QoS 2) yet. */
    int unacknowledged() {
        return unacknowledged;
    }

    /** Adds a PUBLISH of QoS 1 or 2; its acknowledgement leaves behind those before it. */
    void add(Receipt receipt) {
        unacknowledged++;
        receipt.readAt = shard.delays().turnBegin();
        waiting.add(receipt);
    }

    /**
     * Adds a QoS 2 PUBLISH that comes again, as the one that was taken in. Its PUBREC, perhaps a
     * second one, leaves in its turn like any other [MQTT-4.6.0-3].
     */
    void onRepeated(Receipt before) {
        before.readAt = shard.delays().turnBegin();
        if (before.connection != connection) {
            before.connection = connection;
            unacknowledged++;
            waiting.add(before);
        } else if (!waiting.contains(before)) {
            waiting.add(before);
        }
        send();
    }

    /** Sends what may leave: up to the first PUBLISH that someone has not taken in yet. */
    void send() {
        Receipt first;
        while ((first = waiting.peek()) != null && first.isDone()) {
            boolean freesId =
                    !connection.isClosed()
                            && first.qos == 2
                            && first.reason.isError()
                            && !first.hasFailed()
                            && connection.version().isV5();
            if (freesId && freePacketId(first) && !first.isDone()) {
                break;
            }
            waiting.poll();
            left++;
            acknowledge(first);
        }
    }

    /**
     * Frees the packet id of a PUBREC that refuses: it leaves when that is kept, or else another
     * message would be taken for this one after a crash.
     *
     * @return whether the packet id was in use
     */
    private boolean freePacketId(Receipt receipt) {
        if (!session.removeInboundQos2(receipt.packetId)) {
            return false;
        }
        if (session.isDurable()) {
            receipt.await();
            shard.afterCommit(session.copySet(), receipt::targetDone);
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
        shard.delays().leaves(Delay.acknowledgement(receipt.qos), receipt.readAt);
        boolean error = receipt.reason.isError();
        // A 3.x client is acknowledged all the same, and its message goes nowhere [MQTT-3.3.5-2].
        if (receipt.qos == 1) {
            unacknowledged--;
            connection.sendAck(PacketType.PUBACK, receipt.packetId, receipt.reason.code());
        } else {
            if (error && connection.version().isV5()) {
                unacknowledged--;
            }
            connection.sendAck(PacketType.PUBREC, receipt.packetId, receipt.reason.code());
        }
    }

    /** Counts a PUBREL that came. */
    void onPubRel(boolean known) {
        if (known && unacknowledged > 0) {
            unacknowledged--;
        }
    }

    void onConnectionLost() {
        waiting.forEach(receipt -> receipt.connection = null);
        waiting.clear();
    }
}
