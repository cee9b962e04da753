package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.ack.Takers;
import org.jspecify.annotations.Nullable;

/**
 * The receipt of a QoS 2 PUBLISH, which stays with the session of its client until PUBREL comes,
 * and with it the list of those who remember the message.
 */
public class Qos2Receipt extends Receipt {
    final PublisherSession session;

    /** Bytes of the takers that the session's shard is charged with. */
    long charged;

    Qos2Receipt(@Nullable ReceiptListener connection, PublisherSession session, int packetId) {
        super(connection, packetId, 2);
        this.session = session;
    }

    /** Its session ends with the broker. */
    @Override
    public boolean comesAgainAfterCrash() {
        return false;
    }

    @Override
    protected void onTaken() {
        if (session.inboundQos2(packetId) == this) {
            session.onTakersKnown(this); // Else PUBREL has come before, or the session has ended.
        }
    }

    /** Takes up those who remember the message from an earlier start; called at start. */
    public final void recovered(Takers takers) {
        takenBy(takers);
        session.onTakersRecovered(this);
    }

    @Override
    protected Receipt arriving() {
        return new Qos2Receipt(null, session, packetId);
    }
}
