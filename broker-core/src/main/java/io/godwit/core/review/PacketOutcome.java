package io.godwit.core.review;

import io.godwit.core.packet.Packet;

/** Holds the answer of a reviewer to a packet that it can't stop. */
public sealed interface PacketOutcome {
    /**
     * Lets it go on.
     *
     * @param packet as it was shown, or changed; of the same type
     */
    record Go(Packet packet) implements PacketOutcome {}

    /** Says that there is no answer: an AUTH ends the connection, all others go on as they are. */
    record Failed() implements PacketOutcome {}
}
