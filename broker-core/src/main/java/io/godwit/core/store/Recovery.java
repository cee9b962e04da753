package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes what a store has kept. */
public interface Recovery {
    /**
     * A part of a durable group; its rows are read afterwards.
     *
     * @param part 0..15
     * @param inFlight its entries that are in flight, in id order
     */
    void group(TopicFilter filter, int part, QueueDepth queue, List<KeptInFlight> inFlight);

    void session(KeptSession session);

    /**
     * A retained message.
     *
     * @param stamp under which it was put
     */
    void retained(Message message, HybridId stamp);

    /** A session ended, not longer ago than nodes may come back that do not know it. */
    default void gone(GoneSession session) {}

    /** A retained message was deleted, as long ago at most. */
    default void retainedGone(Topic topic, HybridId stamp) {}

    /**
     * A session that ended.
     *
     * @param generation id of the CONNECT that created it
     * @param stamp of its end: a record of this generation with a later one is alive
     */
    record GoneSession(ClientId clientId, long queueId, HybridId generation, HybridId stamp) {}

    /**
     * @param queue null when it never had a row
     */
    record KeptSession(
            ClientId clientId,
            SessionRecord record,
            List<KeptSubscription> subscriptions,
            List<KeptInbound> inbound,
            @Nullable QueueDepth queue) {}

    /** An entry of a group's part that a member has in flight. */
    record KeptInFlight(HybridId id, int packetId, Receiver to) {}

    /** See {@link io.godwit.core.routing.Subscription}. */
    record KeptSubscription(
            TopicFilter filter, int qos, boolean noLocal, boolean retainAsPublished, int[] ids) {}

    /**
     * A QoS 2 PUBLISH without PUBREL.
     *
     * @param hasIt queue ids of the targets that have got it (0 = the retained store), or null when
     *     all have: then it is acknowledged, and not routed again
     */
    record KeptInbound(Inbound inbound, long @Nullable [] hasIt) {}
}
