package io.godwit.core.review;

/** Holds the answer of a reviewer to a PUBLISH that goes to a client. */
public sealed interface DeliveryOutcome {
    /**
     * Lets it go out.
     *
     * @param publish as it was shown, or changed; its QoS and packet id do not count
     */
    record Go(ReviewedPublish publish) implements DeliveryOutcome {}

    /** Keeps it from the client; it ends as if the client had acknowledged it. */
    record Dropped() implements DeliveryOutcome {}

    /** Says that there is no answer: at QoS 0 it is dropped, else shown again a few times. */
    record Failed() implements DeliveryOutcome {}

    /**
     * Says that nobody could be asked: at QoS 0 it is dropped, else shown again until somebody can.
     */
    record NotAsked() implements DeliveryOutcome {}
}
