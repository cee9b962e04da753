package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import org.jspecify.annotations.Nullable;

/**
 * A will that is due, until everyone whom it goes to has taken it in: only then may the record
 * forget it. A crash before that publishes it again at the next start. At QoS 2 its ingress id is
 * kept like that of a PUBLISH, under packet id 0, so that those who have got it do not get it
 * again.
 */
public final class OwedWill extends Receipt {
    /** Packet id of a will's {@link Inbound}; no PUBLISH has it. */
    public static final int PACKET_ID = 0;

    /** Whoever owes it. */
    interface Listener {
        /** Everyone has it: the record may forget it. */
        void onWillTaken(OwedWill taken);
    }

    final KeptWill will;
    private final Listener listener;
    private boolean published;
    private @Nullable Inbound kept;

    /** Counts it, on the shard that has published it; null on those that the session came to. */
    private @Nullable OwedWills count;

    OwedWill(Listener listener, KeptWill will) {
        super(null, PACKET_ID, will.will().qos());
        this.listener = listener;
        this.will = will;
    }

    /**
     * It is published now.
     *
     * @param by counts those of the shard
     * @param inbound at QoS 2 what the store keeps of it
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

    @Override
    public boolean mayComeAgain() {
        return kept != null;
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
        there.isRemembered = isRemembered;
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
