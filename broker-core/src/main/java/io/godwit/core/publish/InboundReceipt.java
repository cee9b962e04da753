package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.store.Inbound;
import org.jspecify.annotations.Nullable;

/**
 * The receipt of a QoS 2 PUBLISH of a durable session. The store hears when every target has it,
 * whether or not anybody is there to be told by PUBREC.
 */
public final class InboundReceipt extends Qos2Receipt {
    final Inbound inbound;

    /**
     * Whether the message is from before a restart, or was given up, and not every target has it:
     * then the next PUBLISH is routed.
     */
    final boolean routesAgain;

    /**
     * Whether the message must not be routed yet: the ingress id is not kept by all that keep
     * copies of the session.
     */
    boolean awaitsId;

    InboundReceipt(
            @Nullable ReceiptListener connection,
            PublisherSession session,
            Inbound inbound,
            boolean routesAgain) {
        super(connection, session, inbound.packetId);
        this.inbound = inbound;
        this.routesAgain = routesAgain;
    }

    /** Makes the receipt of a PUBLISH that a restart has found. */
    static InboundReceipt recovered(PublisherSession session, Inbound inbound) {
        InboundReceipt receipt = new InboundReceipt(null, session, inbound, !inbound.taken);
        receipt.routed();
        return receipt;
    }

    @Override
    public boolean comesAgainAfterCrash() {
        return mayComeAgain;
    }

    @Override
    protected void onTaken() {
        boolean isTold = hasFailed() || routesAgain || inbound.taken || session.isEnded();
        if (!isTold && session.inboundQos2(packetId) == this) {
            session.store().inboundTaken(inbound);
        }
        super.onTaken();
    }

    @Override
    protected Receipt arriving() {
        return new InboundReceipt(null, session, inbound, routesAgain);
    }
}
