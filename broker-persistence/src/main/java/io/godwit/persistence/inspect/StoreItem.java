package io.godwit.persistence.inspect;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.SessionRecord;
import org.jspecify.annotations.Nullable;

/** One thing that a store holds, whole: all of them together are the store. */
public sealed interface StoreItem {
    /**
     * Where ids go on; comes first.
     *
     * @param startNumber of the latest start; ingress counters begin with it
     * @param clock no message id above it was given
     * @param queueCounters given out so far
     */
    record Floors(long startNumber, long clock, long queueCounters) implements StoreItem {}

    record Session(ClientId clientId, SessionRecord session) implements StoreItem {}

    /**
     * @param ids Subscription Identifiers
     */
    record Subscription(
            long queueId,
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids)
            implements StoreItem {}

    /**
     * A QoS 2 PUBLISH without PUBREL.
     *
     * @param taken every target has it
     * @param hasIt queue ids of those that have, while not all do; 0 = the retained store
     */
    record InboundPublish(
            long queueId, int packetId, long ingressCounter, boolean taken, long[] hasIt)
            implements StoreItem {}

    record Group(long queueId, int part, TopicFilter filter) implements StoreItem {}

    /** A message that queues refer to; comes before the first of them. */
    record Payload(Message message) implements StoreItem {}

    /**
     * A message in a queue.
     *
     * @param idle false: its row stands among those in flight
     * @param packetId 0 while idle
     */
    record Queued(
            long queueId,
            long messageId,
            boolean idle,
            int qos,
            boolean retain,
            int[] ids,
            int packetId,
            Body body)
            implements StoreItem {}

    /** What a queued message is. */
    sealed interface Body {
        /** Stands with its row. */
        record Own(Message message) implements Body {}

        /**
         * Stands once, as a {@link Payload}.
         *
         * @param bytes accounted ones
         * @param expiresAtMs as of the message
         */
        record Shared(int server, long counter, int bytes, long expiresAtMs) implements Body {}
    }

    /**
     * What is in flight without its message.
     *
     * @param kind as in {@link io.godwit.persistence.codec.StoredRow}
     * @param receiver of a group's entry that is in flight to a member; else null
     * @param server ingress id of an entry of a group that this session has got; else 0
     */
    record Marker(
            long queueId,
            long messageId,
            int kind,
            int packetId,
            @Nullable Receiver receiver,
            int server,
            long counter)
            implements StoreItem {}

    record Retained(Message message) implements StoreItem {}
}
