package io.godwit.core.ack;

import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Delays;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Shard;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A received QoS 1/2 PUBLISH whose acknowledgement waits until every target has reached its ack
 * point. Lives on the publisher's shard; other shards only carry it back, through a {@link
 * RelayReceipt}.
 */
public class Receipt {
    /** Nobody knows where the PUBLISH came in. */
    public static final int ANY_SHARD = -1;

    public final int packetId;
    public final byte qos;

    /**
     * Whether the message may come again under the same ingress id, so that each target remembers
     * it: QoS 2, and a will, which the broker itself repeats after a crash.
     */
    public final boolean mayComeAgain;

    /**
     * The connection that sent the PUBLISH last and gets the acknowledgement; null when it is gone.
     */
    public @Nullable ReceiptListener connection;

    public ReasonCode reason = ReasonCode.SUCCESS;

    /** When the PUBLISH was read last; a moment of {@link Delays}. */
    public int readAt;

    /**
     * Whether the message may be routed for the second time, under the same ingress id, after a
     * restart: targets that have it recognise it.
     */
    public boolean isAgain;

    /**
     * Whether it has come to this node before, in this start, and {@link #isAgain}: only those
     * sessions are told that recognise it, for some may have come here since.
     */
    public boolean isKnownHere;

    /**
     * Those who forget the ingress id when the publisher is done with the message; null for nobody.
     */
    private @Nullable Takers takers;

    /**
     * The shard on which the publisher was done with the message, while not every taker was told
     * so; else null.
     */
    private @Nullable Shard released;

    /**
     * Hears of the acknowledgement instead of the connection once the session has gone to another
     * shard.
     */
    private @Nullable MovedReceipt moved;

    private int missing = 1;
    private boolean failed;

    public Receipt(@Nullable ReceiptListener connection, int packetId, int qos) {
        this(connection, packetId, qos, qos == 2);
    }

    protected Receipt(
            @Nullable ReceiptListener connection, int packetId, int qos, boolean mayComeAgain) {
        this.mayComeAgain = mayComeAgain;
        this.connection = connection;
        this.packetId = packetId;
        this.qos = (byte) qos;
    }

    /**
     * @param here shard of whoever asks
     * @return that at which the PUBLISH came in, or at which what is kept of it since was kept
     *     after that; {@link #ANY_SHARD} where that is not known
     */
    public int shard(int here) {
        return here;
    }

    /** Whether a crash may be why the message comes again under the same ingress id. */
    public boolean comesAgainAfterCrash() {
        return mayComeAgain;
    }

    /** Counts one more target that must reach its ack point. */
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
     * Takes back the count that the constructor began with, now that every target was counted; does
     * not call {@link #onDone}.
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

    /** Notes that a target takes the message in, and remembers it since it may come again. */
    public final void takenBy(Message message, Taker taker) {
        Takers known = takers;
        if (known == null) {
            takers = new Takers(message.ingressServer, message.ingressCounter, taker);
        } else {
            known.add(taker);
        }
    }

    /**
     * Notes targets that remember the message and that another shard has counted, or an earlier
     * start has left.
     */
    public final void takenBy(@Nullable Takers others) {
        Takers known = takers;
        if (known == null || others == null) {
            takers = known == null ? others : known;
        } else {
            known.addAll(others);
        }
    }

    /** What those are accounted with who remember the message. */
    public final long takerBytes() {
        return takers == null ? 0 : takers.bytes();
    }

    final @Nullable Takers takers() {
        return takers;
    }

    /** Gives the takers to another receipt, which stands for this one from now on. */
    public final @Nullable Takers takeTakers() {
        Takers taken = takers;
        takers = null;
        return taken;
    }

    /**
     * Called when the publisher is done with the message: PUBREL came, or its session is gone. Its
     * takers hear of that once every target has the message.
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

    /** Tells a receipt, if there is one, of a target that could be counted on at once. */
    public static void done(@Nullable Receipt receipt) {
        if (receipt != null) {
            receipt.targetDone(true);
        }
    }

    /**
     * A target at another node holds more than its part: whoever published the message waits as
     * long as it does.
     *
     * @param isFull whether it still does; any thread asks
     */
    public void feedsFull(BooleanSupplier isFull) {
        ReceiptListener publisher = connection;
        if (publisher != null) {
            publisher.feedsFull(isFull);
        }
    }

    final void goesOnAs(MovedReceipt elsewhere) {
        moved = elsewhere;
        connection = null;
    }

    /** The receipt that this one stands for at another shard. Any thread asks. */
    public Receipt original() {
        return this;
    }

    /** Whether its message had come before a session subscribed. Any thread asks. */
    public boolean isAmong(CameBefore before) {
        return false;
    }

    /**
     * Whether its message may go to another target instead: told that the one that it waits for has
     * not {@linkplain #targetDone taken} it, whoever made this sends it there.
     */
    public boolean canGoElsewhere() {
        return false;
    }

    /**
     * Whether its message came from another node, which {@linkplain #giveBack takes it back} for a
     * shared group. Any thread asks.
     */
    public boolean isOfOtherNode() {
        return false;
    }

    /**
     * Tells the node that its message came from that a shared group here does not have it any more,
     * and who has the group's queue. That node knows whether it has gone elsewhere meanwhile. On
     * the shard of the receipt, before the group tells that it is {@link #targetDone done}.
     *
     * @param group whole filter
     * @param taker server id of the node that leads the group's queue now
     */
    public void giveBack(TopicFilter group, int taker) {
        throw new IllegalStateException("it is of this node");
    }

    /** Called when the last target is done, while the session is still on this shard. */
    protected void onTaken() {}

    /** Makes the receipt that stands for this one on the shard that the session goes to. */
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
