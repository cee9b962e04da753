package io.godwit.core.review;

import io.godwit.core.packet.ReasonCode;

/** Holds the answer of a reviewer to a PUBLISH. */
public sealed interface PublishOutcome {
    /**
     * Lets it go on.
     *
     * @param publish as it was shown, or changed
     */
    record Go(ReviewedPublish publish, Permission permission) implements PublishOutcome {}

    /** Ends it here, acknowledged as if it had gone on. */
    record Dropped() implements PublishOutcome {}

    /**
     * Refuses it.
     *
     * @param reason of 0x80 and above
     */
    record Refused(ReasonCode reason) implements PublishOutcome {}

    /**
     * Says that there is no answer. It is refused with 0x83; before MQTT 5.0 the connection is
     * closed without an acknowledgement, so that it comes again.
     */
    record Failed() implements PublishOutcome {}
}
