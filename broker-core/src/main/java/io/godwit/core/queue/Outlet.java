package io.godwit.core.queue;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;

/** The client's connection, as the queue that feeds it sees it. */
public interface Outlet {
    /** The client has its CONNACK, and the connection has not ended. */
    boolean isConnected();

    /** Whether a PUBLISH may be encoded now. */
    boolean canSend();

    /** How many QoS 1 and 2 messages may be unacknowledged: the client's Receive Maximum. */
    int inFlightMax();

    /** Sends a message under the packet id of its entry. */
    Sending sendPublish(Message message, QueueEntry entry, boolean dup);

    /** Says what has become of a message that was to be sent. */
    enum Sending {
        LEFT,

        /** A reviewer sees it: what becomes of it the delivery is told later. */
        REVIEWED,

        /** It is larger than the client takes: it counts as delivered [MQTT-3.1.2-25]. */
        TOO_LARGE
    }

    void sendPubRel(int packetId);

    /** Ends the connection, for a reason of the broker's. */
    void fail(ReasonCode reason, String text);
}
