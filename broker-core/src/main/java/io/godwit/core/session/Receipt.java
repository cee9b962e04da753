package io.godwit.core.session;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.Inbound;
import org.jspecify.annotations.Nullable;

/**
 * A received QoS 1/2 PUBLISH whose acknowledgement waits until every target has reached its ack
 * point. Lives on the publisher's shard; other shards only carry it back, through a {@link
 * RelayReceipt}.
 */
class Receipt {
    final int packetId;
    final byte qos;

    /**
     * Whom the acknowledgement goes to: the connection that sent it last, or null when that is
     * gone.
     */
    @Nullable ClientConnection connection;

    ReasonCode reason = ReasonCode.SUCCESS;

    /** What the store keeps of it: QoS 2 of a durable session. */
    @Nullable Inbound inbound;

    /** Who hears of it instead of the connection, since the session has gone to another shard. */
    private RelayReceipt.@Nullable Away away;

    private int missing = 1;
    private boolean failed;

    Receipt(@Nullable ClientConnection connection, int packetId, int qos) {
        this.connection = connection;
        this.packetId = packetId;
        this.qos = (byte) qos;
    }

    /** One more target that must reach its ack point. */
    final void await() {
        missing++;
    }

    /**
     * @param taken false when the target could not take it: there will be no acknowledgement
     */
    final void targetDone(boolean taken) {
        failed |= !taken;
        if (--missing == 0) {
            onDone();
        }
    }

    /**
     * Every target was counted: what the constructor began with is taken back, without {@link
     * #onDone}.
     */
    final boolean routed() {
        return --missing == 0;
    }

    final boolean isDone() {
        return missing == 0;
    }

    final boolean hasFailed() {
        return failed;
    }

    /** A target that could be counted on at once; no receipt, no one waits. */
    static void done(@Nullable Receipt receipt) {
        if (receipt != null) {
            receipt.targetDone(true);
        }
    }

    final void goesOnAs(RelayReceipt.Away elsewhere) {
        away = elsewhere;
        connection = null;
    }

    void onDone() {
        ClientConnection waiting = connection;
        if (away != null) {
            away.onDone();
        } else if (waiting != null) {
            waiting.onReceiptDone();
        }
    }
}
