package io.godwit.core.ack;

import io.godwit.core.packet.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * A received QoS 1/2 PUBLISH whose acknowledgement waits until every target has reached its ack
 * point. Lives on the publisher's shard; other shards only carry it back, through a {@link
 * RelayReceipt}.
 */
public class Receipt {
    public final int packetId;
    public final byte qos;

    /**
     * Whom the acknowledgement goes to: the connection that sent it last, or null when that is
     * gone.
     */
    public @Nullable ReceiptListener connection;

    public ReasonCode reason = ReasonCode.SUCCESS;

    /**
     * Of a message that is routed again after a restart, under the same ingress id: queue ids of
     * those that have got it, 0 for the retained store. Null for all others.
     */
    public long @Nullable [] hasIt;

    /** It went to other nodes, which remember its ingress id until they are told that it is over. */
    public boolean isRemembered;

    /** Who hears of it instead of the connection, since the session has gone to another shard. */
    private @Nullable MovedReceipt moved;

    private int missing = 1;
    private boolean failed;

    public Receipt(@Nullable ReceiptListener connection, int packetId, int qos) {
        this.connection = connection;
        this.packetId = packetId;
        this.qos = (byte) qos;
    }

    /** One more target that must reach its ack point. */
    public final void await() {
        missing++;
    }

    /**
     * @param taken false when the target could not take it: there will be no acknowledgement
     */
    public final void targetDone(boolean taken) {
        failed |= !taken;
        if (--missing == 0) {
            taken();
            onDone();
        }
    }

    /**
     * Every target was counted: what the constructor began with is taken back, without {@link
     * #onDone}.
     */
    public final boolean routed() {
        if (--missing > 0) {
            return false;
        }
        taken();
        return true;
    }

    private void taken() {
        if (moved == null) {
            onTaken();
        }
    }

    /** Whether this target has got it before the restart. */
    public static boolean has(long[] hasIt, long queueId) {
        for (long id : hasIt) {
            if (id == queueId) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the publish may be routed again under the same ingress id after its targets have it:
     * then somebody says when it is over. The same all the time, on any thread.
     */
    public boolean mayComeAgain() {
        return false;
    }

    public final boolean isDone() {
        return missing == 0;
    }

    public final boolean hasFailed() {
        return failed;
    }

    /** A target that could be counted on at once; no receipt, no one waits. */
    public static void done(@Nullable Receipt receipt) {
        if (receipt != null) {
            receipt.targetDone(true);
        }
    }

    final void goesOnAs(MovedReceipt elsewhere) {
        moved = elsewhere;
        connection = null;
    }

    /** The last target is done, and the session is still here. */
    protected void onTaken() {}

    /** The same on the shard that the session goes to. */
    protected Receipt arriving() {
        return new Receipt(null, packetId, qos);
    }

    public void onDone() {
        ReceiptListener waiting = connection;
        if (moved != null) {
            moved.onDone();
        } else if (waiting != null) {
            waiting.onReceiptDone();
        }
    }
}
