package io.godwit.core.session;

import io.godwit.core.packet.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * A received QoS 1/2 PUBLISH whose acknowledgement waits until every target has reached its ack point. Lives
 * on the publisher's shard; other shards only carry it back.
 */
final class Receipt {
    final int packetId;
    final byte qos;

    /** Whom the acknowledgement goes to: the connection that sent it last, or null when that is gone. */
    @Nullable ClientConnection connection;

    ReasonCode reason = ReasonCode.SUCCESS;

    private int missing = 1;
    private boolean failed;

    Receipt(ClientConnection connection, int packetId, int qos) {
        this.connection = connection;
        this.packetId = packetId;
        this.qos = (byte) qos;
    }

    /** One more target that must reach its ack point. */
    void await() {
        missing++;
    }

    /** @param taken false when the target could not take it: there will be no acknowledgement */
    void targetDone(boolean taken) {
        failed |= !taken;
        if (--missing == 0) {
            ClientConnection waiting = connection;
            if (waiting != null) {
                waiting.onReceiptDone();
            }
        }
    }

    /** Every target was counted: what {@link #Receipt} began with is taken back. */
    boolean routed() {
        return --missing == 0;
    }

    boolean isDone() {
        return missing == 0;
    }

    boolean hasFailed() {
        return failed;
    }
}
