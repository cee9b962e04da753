package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.store.Inbound;
import org.jspecify.annotations.Nullable;

/**
 * The receipt of a QoS 2 PUBLISH of a durable session. The store hears when every target has it,
 * whether or not anybody is there to be told by PUBREC.
 */
public final class InboundReceipt extends Receipt {
    final Inbound inbound;
    private final PublisherSession session;

    /** It is from before a restart, and not everyone has got it: the next PUBLISH is routed. */
    final boolean routesAgain;

    InboundReceipt(
            @Nullable ReceiptListener connection,
            PublisherSession session,
            Inbound inbound,
            long @Nullable [] hasIt,
            boolean routesAgain) {
        super(connection, inbound.packetId, 2);
        this.session = session;
        this.inbound = inbound;
        this.hasIt = hasIt;
        this.routesAgain = routesAgain;
    }

    /**
     * What a restart has found.
     *
     * @param hasIt null when every target has got it
     */
    static InboundReceipt recovered(
            PublisherSession session, Inbound inbound, long @Nullable [] hasIt) {
        InboundReceipt receipt = new InboundReceipt(null, session, inbound, hasIt, hasIt != null);
        receipt.isRemembered = true; // As far as this start knows.
        receipt.routed();
        return receipt;
    }

    @Override
    protected void onTaken() {
        if (!hasFailed() && !routesAgain && !inbound.taken && !session.isEnded()) {
            session.store().inboundTaken(inbound);
        }
    }

    @Override
    public boolean mayComeAgain() {
        return true;
    }

    @Override
    protected Receipt arriving() {
        InboundReceipt there = new InboundReceipt(null, session, inbound, hasIt, routesAgain);
        there.isRemembered = isRemembered;
        return there;
    }
}
