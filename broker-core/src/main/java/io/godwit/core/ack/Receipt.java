package io.godwit.core.ack;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Shard;
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
     * Its message may be routed for the second time, under the same ingress id, after a restart:
     * those who have it recognise it.
     */
    public boolean isAgain;

    /** Who is to forget its ingress id when the publisher is done with it; null for nobody. */
    private @Nullable Takers takers;

    /** The publisher is done with it, and not everyone has been told it yet: where that was. */
    private @Nullable Shard released;

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
        Shard here = released;
        if (here != null) {
            tellReleased(here);
        }
    }

    // ---------------------------------------------------------------- who remembers it

    /** A target takes a QoS 2 message in, and remembers it. */
    public final void takenBy(Message message, Taker taker) {
        Takers known = takers;
        if (known == null) {
            takers = new Takers(message.ingressServer, message.ingressCounter, taker);
        } else {
            known.add(taker);
        }
    }

    /** The same, of targets that another shard has counted, or that an earlier start has left. */
    public final void takenBy(@Nullable Takers others) {
        Takers known = takers;
        if (known == null || others == null) {
            takers = known == null ? others : known;
        } else {
            known.addAll(others);
        }
    }

    final @Nullable Takers takers() {
        return takers;
    }

    /** Another receipt stands for it from now on, and has them. */
    public final @Nullable Takers takeTakers() {
        Takers taken = takers;
        takers = null;
        return taken;
    }

    /**
     * The publisher is done with the message: PUBREL came, or its session is gone. Once every
     * target has it they hear of that.
     *
     * @param here the shard of the receipt
     */
    public final void release(Shard here) {
        if (isDone()) {
            tellReleased(here);
        } else {
            released = here;
        }
    }

    private void tellReleased(Shard here) {
        Takers told = takers;
        released = null;
        takers = null;
        if (told != null) {
            told.forget(here);
        }
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
