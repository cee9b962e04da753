package io.godwit.core.review;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.util.function.Consumer;

/**
 * Sees the packets of clients before they count. It is called by the thread of the client's shard
 * and must not block; its answers come later, from any thread, once each: a second one is ignored.
 * For one client it answers in the order of the questions, those about PUBLISHes and those about
 * SUBSCRIBEs and UNSUBSCRIBEs each by themselves. It bounds how long it takes: an answer comes for
 * each question.
 */
public interface Reviewer {
    /** Whether PUBLISHes of the client to this topic are to be shown. */
    boolean seesPublish(Subject client, Topic topic);

    /** Whether so much is under review that publishers should not be read for now. */
    boolean isFull();

    /** Begins to review a PUBLISH. */
    void publish(
            Subject client,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<PublishOutcome> answer);

    /** Whether the client's will is to be shown. */
    boolean seesWill(Subject client);

    /** Begins to review a will; it is not changed: the answer is Go as it is, Refused or Failed. */
    void will(Subject client, ProtocolVersion version, Will will, Consumer<PublishOutcome> answer);

    /** Whether SUBSCRIBEs of the client are to be shown. */
    boolean seesSubscribes(Subject client);

    /** Begins to review a SUBSCRIBE. */
    void subscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Subscribe subscribe,
            Consumer<SubscribeOutcome> answer);

    /** Whether UNSUBSCRIBEs of the client are to be shown. */
    boolean seesUnsubscribes(Subject client);

    /** Begins to review an UNSUBSCRIBE. */
    void unsubscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Unsubscribe unsubscribe,
            Consumer<UnsubscribeOutcome> answer);
}
