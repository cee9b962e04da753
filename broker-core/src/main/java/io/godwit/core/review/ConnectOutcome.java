package io.godwit.core.review;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;

/** Holds the answer of a reviewer to a CONNECT. */
public sealed interface ConnectOutcome {
    /**
     * Lets it go on.
     *
     * @param connect as it was shown, or changed; of the same version
     */
    record Go(Packet.Connect connect) implements ConnectOutcome {}

    /** Closes the connection without CONNACK. */
    record Dropped() implements ConnectOutcome {}

    /**
     * Refuses it.
     *
     * @param reason of 0x80 and above
     */
    record Refused(ReasonCode reason) implements ConnectOutcome {}

    /** Says that there is no answer: it is refused with 0x88 (3.x: 3). */
    record Failed() implements ConnectOutcome {}
}
