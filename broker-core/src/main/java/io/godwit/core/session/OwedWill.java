package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import org.jspecify.annotations.Nullable;

/**
 * A will that is due, until every target has taken it in: only then may the record forget it. A
 * crash before that publishes it again at the next start, under the same ingress id, by which
 * durable targets that have got it recognise it. At QoS 2 that id is kept like that of a PUBLISH,
 * too, under packet id 0.
 */
public final class OwedWill extends Receipt {
    /** Packet id of a will's {@link Inbound}; no PUBLISH has it. */
    public static final int PACKET_ID = 0;

    /** Knows what becomes of the will. */
    interface Listener {
        /** Called when every target has the will: the record may forget it. */
        void onWillTaken(OwedWill taken);

        /** Publishes the will once more, if it is still its own. */
        void publishAgain(OwedWill untaken);
    }

    final KeptWill will;
    private final Listener listener;
    private boolean published;
    private @Nullable Inbound kept;

    /**
     * The wills of the shard that has published it, or to which the session came later; null before
     * that.
     */
    private @Nullable OwedWills among;

    /** Whether another one stands for it with the session. */
    private boolean isReplaced;

    OwedWill(Listener listener, KeptWill will) {
        super(null, PACKET_ID, will.will().qos(), true);
        this.listener = listener;
        this.will = will;
    }

    /**
     * Notes that the will is published now.
     *
     * @param of the owed wills of the shard
     * @param inbound how the will is kept, at QoS 2; else null
     */
    void publishedBy(OwedWills of, @Nullable Inbound inbound) {
        published = true;
        kept = inbound;
        isAmong(of);
    }

    /** Notes that it belongs to the owed wills of a shard. */
    void isAmong(OwedWills of) {
        if (among == null) {
            among = of;
            of.add(this);
        }
    }

    /** Publishes the will once more, if its session is on this shard and waits for it. */
    void publishAgain() {
        if (!isDone() && !isReplaced) {
            listener.publishAgain(this);
        }
    }

    /** Returns what stands for it, unpublished, from now on: nobody waits for its targets. */
    OwedWill giveUp() {
        isReplaced = true;
        OwedWill next = new OwedWill(listener, will);
        next.kept = kept;
        next.isAgain = true;
        next.takenBy(takeTakers());
        return next;
    }

    boolean isPublished() {
        return published;
    }

    @Nullable Inbound kept() {
        return kept;
    }

    /** A store that has failed ends the process: nobody asks whether this one has. */
    @Override
    protected void onTaken() {
        if (!isReplaced) {
            listener.onWillTaken(this);
        }
    }

    @Override
    protected Receipt arriving() {
        isReplaced = true;
        OwedWill there = new OwedWill(listener, will);
        there.published = true;
        there.kept = kept;
        return there;
    }

    @Override
    public void onDone() {
        super.onDone();
        OwedWills of = among;
        if (of != null) {
            of.remove(this);
        }
    }
}
