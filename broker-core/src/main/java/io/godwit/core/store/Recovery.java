package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes everything that a store has kept. */
public interface Recovery {
    /**
     * Is added to the number of a part whose queue another node has taken over from this one: it is
     * kept for its operator, and nobody is told of it.
     */
    int GROUP_ASIDE = 0x80;

    /** Takes a part of a durable group; its rows are read afterwards. */
    void group(TopicFilter filter, KeptGroupPart part);

    void session(KeptSession session);

    /**
     * A retained message.
     *
     * @param stamp under which it was put
     */
    void retained(Message message, HybridId stamp);

    /**
     * Takes the ingress ids of QoS 2 messages that the retained store has, or had. Called before
     * the retained messages.
     */
    default void retainedIngress(List<KeptIngress> remembered) {}

    /** Takes the end of a session, not longer ago than nodes may come back that do not know it. */
    default void gone(GoneSession session) {}

    /**
     * Takes the deletion of a retained message, not longer ago than nodes may come back that do not
     * know it.
     */
    default void retainedGone(Topic topic, HybridId stamp) {}

    /**
     * Takes the position up to which the stream of another node, which has its copies here, was
     * applied.
     *
     * @param start start number of that stream
     */
    default void stream(int server, long start, long position) {}

    /**
     * Notes that a queue was adopted: its session or group, if it has one, was told of before.
     * Called once for each {@link ShardStore#adopt}, not at start.
     */
    default void adopted(long queueId) {}

    /**
     * A session that ended.
     *
     * @param generation id of the CONNECT that created it
     * @param stamp of its end: a record of this generation with a later one is alive
     */
    record GoneSession(ClientId clientId, long queueId, HybridId generation, HybridId stamp) {}

    /**
     * @param inbound QoS 2 PUBLISHes without PUBREL
     * @param queue what the session's queue has in rows; null when it never had one
     * @param remembered ingress ids that the session's queue remembers, in the order of their
     *     message ids
     * @param predecessor the queue that is drained before its own; null when there is none
     */
    record KeptSession(
            ClientId clientId,
            SessionRecord record,
            List<KeptSubscription> subscriptions,
            List<Inbound> inbound,
            @Nullable QueueDepth queue,
            List<KeptIngress> remembered,
            @Nullable KeptPredecessor predecessor) {}

    /** A frozen queue, which is drained before the session's own. */
    record KeptPredecessor(QueueDepth queue, List<KeptIngress> remembered) {}

    /**
     * A part of a group.
     *
     * @param number 0..15
     * @param inFlight its entries that are in flight, in id order
     * @param remembered ingress ids, in the order of their message ids
     * @param predecessor the queue that goes before its own; null when there is none
     */
    record KeptGroupPart(
            int number,
            QueueDepth queue,
            List<KeptInFlight> inFlight,
            List<KeptIngress> remembered,
            @Nullable KeptGroupPart predecessor) {}

    /** An entry of a group's part that a member has in flight. */
    record KeptInFlight(HybridId id, int packetId, Receiver to) {}

    /**
     * See {@link io.godwit.core.routing.Subscription}.
     *
     * @param before what had come before it from other nodes, by streams to this one; null for
     *     nothing
     */
    record KeptSubscription(
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids,
            @Nullable CameBefore before) {
        /** Before which nothing had come. */
        public KeptSubscription(
                TopicFilter filter,
                int qos,
                boolean noLocal,
                boolean retainAsPublished,
                int[] ids) {
            this(filter, qos, noLocal, retainAsPublished, ids, null);
        }
    }
}
