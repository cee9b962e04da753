package io.godwit.core.review;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;

/** Holds the answer of a reviewer to an UNSUBSCRIBE. */
public sealed interface UnsubscribeOutcome {
    /**
     * Lets it go on.
     *
     * @param unsubscribe as it was shown, or changed, with as many filters
     */
    record Go(Packet.Unsubscribe unsubscribe) implements UnsubscribeOutcome {}

    /** Ends it here; UNSUBACK says success. */
    record Dropped() implements UnsubscribeOutcome {}

    /**
     * Refuses all filters; before MQTT 5.0 the connection is closed, since UNSUBACK can't say so.
     */
    record Refused(ReasonCode reason) implements UnsubscribeOutcome {}

    /** Says that there is no answer: as refused with 0x83. */
    record Failed() implements UnsubscribeOutcome {}
}
