package io.godwit.core.review;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.List;

/** Holds the answer of a reviewer to a SUBSCRIBE. */
public sealed interface SubscribeOutcome {
    /**
     * Lets it go on.
     *
     * @param subscribe as it was shown, or changed, with as many filters
     * @param decisions one for each filter
     */
    record Go(Packet.Subscribe subscribe, List<Decision> decisions) implements SubscribeOutcome {
        public Go {
            decisions = List.copyOf(decisions);
        }
    }

    /** Says whether the client may subscribe to one filter. */
    sealed interface Decision {
        record May(Permission permission) implements Decision {}

        /**
         * @param reason of 0x80 and above
         */
        record MayNot(ReasonCode reason) implements Decision {}
    }

    /** Ends it here; SUBACK grants what was asked for. */
    record Dropped() implements SubscribeOutcome {}

    /** Refuses all filters. */
    record Refused(ReasonCode reason) implements SubscribeOutcome {}

    /** Says that there is no answer: all filters are refused with 0x83 (3.1.1: 0x80). */
    record Failed() implements SubscribeOutcome {}
}
