package io.godwit.core.store;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;

/**
 * One shard's operations. They gather in the open commit, in order, and are written together; only
 * the shard's thread calls. A queue is named by its queue id, an entry by queue id and message id.
 */
public interface ShardStore {
    /** A session record: made, or changed (another expiry, a will, a disconnect). */
    void putSession(ClientId clientId, SessionRecord session);

    /** The session ended: its subscriptions and its queue go with it. */
    void removeSession(ClientId clientId, long queueId);

    void putSubscription(long queueId, Subscription subscription);

    void removeSubscription(long queueId, TopicFilter filter);

    /**
     * @param qos at which it will be delivered, 1 or 2
     */
    void append(long queueId, long messageId, int qos, Message message);

    /** The entry was given a packet id; nothing waits for it but QoS 2. */
    void inFlight(long queueId, long messageId, int packetId);

    /** PUBREC came: only a marker stays. */
    void released(long queueId, long messageId, int packetId);

    /**
     * The entry was delivered, has expired or was discarded. When its append stands in the same
     * open commit the two cancel out.
     */
    void remove(long queueId, long messageId);

    /** An inbound QoS 2 PUBLISH was taken in under this packet id. */
    void putInbound(long queueId, int packetId, long ingressCounter);

    /** Its PUBREL came. */
    void removeInbound(long queueId, int packetId);

    void putRetained(Message message);

    void removeRetained(Topic topic);

    /** Number of the open commit: what waits for what was gathered so far waits for this one. */
    long openCommit();

    /** Whether the open commit holds anything. */
    boolean isDirty();

    /** Closes the open commit and begins writing it; the outcome comes to {@link CommitOutcome}. */
    void commit();
}
