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

    /** Is told that the will is owed no more. */
    interface Listener {
        /** Called when every target has the will: the record may forget it. */
        void onWillTaken(OwedWill taken);
    }

    final KeptWill will;
    private final Listener listener;
    private boolean published;
    private @Nullable Inbound kept;

    /**
     * The count of the shard that has published the will; null on a shard to which the session came
     * later.
     */
    private @Nullable OwedWills count;

    OwedWill(Listener listener, KeptWill will) {
        super(null, PACKET_ID, will.will().qos(), true);
        this.listener = listener;
        this.will = will;
    }

    /**
     * Notes that the will is published now.
     *
     * @param by counts the owed wills of the shard
     * @param inbound how the will is kept, at QoS 2; else null
     */
    void publishedBy(OwedWills by, @Nullable Inbound inbound) {
        published = true;
        kept = inbound;
        count = by;
        by.count(1);
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
        listener.onWillTaken(this);
    }

    @Override
    protected Receipt arriving() {
        OwedWill there = new OwedWill(listener, will);
        there.published = true;
        there.kept = kept;
        return there;
    }

    @Override
    public void onDone() {
        super.onDone();
        OwedWills counted = count;
        if (counted != null) {
            counted.count(-1);
        }
    }
}
