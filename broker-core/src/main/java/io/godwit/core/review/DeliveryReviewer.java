package io.godwit.core.review;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import java.util.function.Consumer;

/**
 * Sees PUBLISHes before they leave for their clients. It is called by the thread of the client's
 * shard and must not block; its answers come later, from any thread, once each: a second one is
 * ignored. It bounds how long it takes: an answer comes for each question.
 */
public interface DeliveryReviewer {
    /** Whether PUBLISHes to this topic that go to the client are to be shown. */
    boolean seesDelivery(Subject receiver, Topic topic);

    /** Whether so much is under review that of the client no more than one should be shown. */
    boolean isFull(Subject receiver);

    /** Begins to review a PUBLISH. */
    void delivery(
            Subject receiver,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<DeliveryOutcome> answer);
}
