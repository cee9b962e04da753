package io.godwit.core.index;

import io.godwit.core.auth.Access;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;

/** The connection of a client that subscribes. */
public interface SubscriberLink {
    ProtocolVersion version();

    boolean isClosed();

    /** Returns what the client may do. */
    Access access();

    /** Counts a SUBSCRIBE or UNSUBSCRIBE that is under way to the topic index. */
    void awaitAnswer();

    /** Counts down: a SUBSCRIBE or UNSUBSCRIBE was answered by the topic index. */
    void answered();

    /** Whether a SUBSCRIBE or UNSUBSCRIBE is in work: until its end nothing more is decoded. */
    void subscribing(boolean inWork);

    void send(Packet packet);

    /** Ends the connection with a DISCONNECT (5.0) that says why. */
    void close(ReasonCode reason, String text, boolean publishWill);
}
