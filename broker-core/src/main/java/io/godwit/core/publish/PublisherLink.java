package io.godwit.core.publish;

import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;

/** The connection of a client that publishes. */
public interface PublisherLink extends ReceiptListener {
    ProtocolVersion version();

    boolean isClosed();

    /** Returns who the client is. */
    Subject subject();

    /** Returns what the client may do. */
    Access access();

    /** Returns the limits that were granted to the client in place of the node's. */
    ClientSettings settings();

    /** Sends a PUBACK or PUBREC. */
    void sendAck(PacketType type, int packetId, int reasonCode);

    /** Ends the connection with a DISCONNECT (5.0) that says why. */
    void close(ReasonCode reason, String text, boolean publishWill);

    /** Goes on decoding: what paused it is over. */
    void resumeDecoding();

    /**
     * Has this connection looked at again when the node's load has eased: something waits that will
     * not end by itself.
     */
    void watch();
}
