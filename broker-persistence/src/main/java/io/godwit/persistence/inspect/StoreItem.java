package io.godwit.persistence.inspect;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.GoneSession;
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
            int[] ids,
            HybridId stamp)
            implements StoreItem {}

    /**
     * A QoS 2 PUBLISH without PUBREL.
     *
     * @param taken every target has it
     */
    record InboundPublish(long queueId, int packetId, IngressId ingress, boolean taken)
            implements StoreItem {}

    /**
     * A QoS 2 message that may come again, and that this queue has, or had.
     *
     * @param queueId 0 for the retained store
     * @param id message id of its append, or the stamp of what is retained
     */
    record Remembered(long queueId, HybridId id, IngressId ingress) implements StoreItem {}

    /**
     * @param part 0..15
     */
    record Group(long queueId, int part, TopicFilter filter) implements StoreItem {}

    /**
     * The leader of a queue that another node leads, of which this is a copy, or has led.
     *
     * @param isThisNode this node has adopted the queue
     */
    record QueueLeader(long queueId, Epoch epoch, boolean isThisNode) implements StoreItem {}

    /** A queue that is drained before another one; comes before what waits in it. */
    record Predecessor(long queueId, long predecessorId) implements StoreItem {}

    /** Which ids of a queue are here or known to be gone. */
    record Covered(long queueId, Coverage coverage) implements StoreItem {}

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
            HybridId id,
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
     * @param ingress of a message that is gone, or that a session has got of a group; unknown of
     *     one that points to a row
     */
    record Marker(
            long queueId,
            HybridId id,
            int kind,
            int packetId,
            @Nullable Receiver receiver,
            IngressId ingress)
            implements StoreItem {}

    /**
     * Something that is set aside: a copy had it, and its leader did not.
     *
     * @param generation of the session that had it; {@link HybridId#NONE} of a group's, and of a
     *     message
     * @param item a session, a group, a subscription or a message
     */
    record Aside(HybridId generation, StoreItem item) implements StoreItem {}

    record Retained(HybridId stamp, Message message) implements StoreItem {}

    /** A retained message that was deleted. */
    record RetainedGone(Topic topic, HybridId stamp) implements StoreItem {}

    /** A session that ended. */
    record SessionGone(GoneSession session) implements StoreItem {}
}
