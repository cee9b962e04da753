package io.godwit.core.store;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * One shard's operations. They gather in the open commit, in order, and are written together; only
 * the shard's thread calls. A queue is named by its queue id, an entry of a queue is the same
 * {@link QueuedMessage} from the append to the removal.
 *
 * <p>Operations about one session come from the shard that owns it, one shard after the other: the
 * store keeps the order in which commits were closed, whichever shard closed them.
 */
public interface ShardStore {
    /**
     * A session record: made, or changed (another expiry, a will, a disconnect). A transient
     * session has one while it has a will that the broker owes: expiry 0.
     */
    void putSession(ClientId clientId, SessionRecord session);

    /** The session ended: its subscriptions, its queue and its inbound ids go with it. */
    void removeSession(ClientId clientId, long queueId, HybridId stamp);

    void putSubscription(long queueId, Subscription subscription, HybridId stamp);

    void removeSubscription(long queueId, TopicFilter filter, HybridId stamp);

    /**
     * A part of a durable shared group has this queue.
     *
     * @param part 0..15
     */
    void putGroup(TopicFilter filter, int part, long queueId);

    /** The group ended, or is not durable any more: this queue of it goes. */
    void removeGroup(TopicFilter filter, long queueId, HybridId stamp);

    /**
     * What the store knows a queue by; asked for once by whoever has the queue, so that nothing is
     * looked up for a message. Null in a store that writes nothing down.
     */
    default @Nullable QueueHandle handle(long queueId) {
        return null;
    }

    /**
     * The same, of a new queue.
     *
     * @param replicaSet whose copies it shares, from 0; counts when nobody has asked for it before
     */
    default @Nullable QueueHandle handle(long queueId, int replicaSet) {
        return null;
    }

    /** See {@link KeptQueue#describe}. */
    default void describe(long queueId, QueueState.Reader to) {
        throw new IllegalStateException("this store has no rows");
    }

    /**
     * A queue that lived on another node has this one as its home from now on. Until it was told
     * nothing else is asked of it.
     *
     * @param epoch above that of its former home
     * @param to is told of the session or group with its queue when everything that came of it
     *     before is rows, on a thread of the store; of a queue without either nothing
     */
    default void adopt(long queueId, Epoch epoch, Recovery to) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /**
     * Another queue goes before a session's, or a group's part: frozen, drained first, and given up
     * then by {@link #removeSession} or {@link #removeGroup} with its queue id. Of a session or
     * group whose queue it was, nothing else counts any more.
     */
    default void putPredecessor(long queueId, long predecessorId) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /**
     * A part of another node's stream: it is as durable as the commit that it goes into. One that
     * the stream has brought before changes nothing, nor do queues of which a later epoch came from
     * elsewhere. Of a queue that was always this node's own the store knows no epoch: that is its
     * owner's to compare, before.
     *
     * @param server whose stream
     * @param start its start number
     * @param position in that stream
     * @param body as {@link PartListener#onPart} had it there
     * @throws IndexOutOfBoundsException when it is none; nothing of it counts
     */
    default void apply(int server, long start, long position, byte[] body) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /** The entry becomes {@link QueuedMessage#OPEN}. */
    void append(QueuedMessage entry);

    /** A queue remembers the ingress id of a QoS 2 message that was just appended to it. */
    void remember(Remembered ingress);

    /**
     * The publisher's side is done with a message that a queue remembers. Lazy: it goes with the
     * next commit that there is a reason for, and nobody waits for it.
     */
    void forget(Remembered ingress);

    /** The entry was given its packet id; nothing waits for it but QoS 2. */
    void inFlight(QueuedMessage entry);

    /** PUBREC came: only a marker stays. */
    void released(QueuedMessage entry);

    /**
     * An entry of a group's queue is in flight at QoS 2 under its packet id.
     *
     * @param to the member that has it
     */
    void inFlightTo(QueuedMessage entry, Receiver to);

    /** An entry of a group's queue is not in flight any more, and was not sent. */
    void idleAgain(QueuedMessage entry);

    /**
     * The entry was delivered, has expired or was discarded. Nothing is written when its append was
     * not encoded yet (the two cancel out) or never was with the store.
     */
    void remove(QueuedMessage entry);

    /**
     * A row that was not read has expired or was discarded.
     *
     * @param messageId of an idle row
     * @param server of the message id: not always this node's
     */
    void removeRow(long queueId, long messageId, int server);

    /**
     * PUBREC came from a member of a group: the session's own queue has a marker, so that PUBREL
     * follows after a restart. The group's entry is removed by an operation of its own.
     *
     * @param queueId of the session
     * @param messageId of the group's entry, with its server
     */
    void putMarker(
            long queueId,
            long messageId,
            int server,
            int packetId,
            int ingressServer,
            long ingressCounter);

    /** PUBCOMP came for such a marker. */
    void removeMarker(long queueId, long messageId, int server);

    /** An inbound QoS 2 PUBLISH was taken in. */
    void putInbound(Inbound inbound);

    /**
     * Every target of it is durable; it is acknowledged now. One that comes again without that
     * after a restart is routed again, and the queues that have it recognise it.
     */
    void inboundTaken(Inbound inbound);

    /** Its PUBREL came. */
    void removeInbound(Inbound inbound);

    /** No queue counter above this one is given: from the commit's end on those below it may be. */
    void reserveQueueIds(long ceiling);

    void putRetained(Message message, HybridId stamp);

    void removeRetained(Topic topic, HybridId stamp);

    /**
     * Reads a page of a queue's rows, on a thread of the store; the answer comes to {@link
     * CommitOutcome#onRead}. Only rows that the shard was told of by {@link CommitOutcome#onRows},
     * or by recovery, may be asked for.
     */
    void read(RowRead read);

    /** Number of the open commit: what waits for what was gathered so far waits for this one. */
    long openCommit();

    /**
     * Number of the last commit, the open one included, that holds an operation of a replica set:
     * what waits for that set's operations so far waits for this one. 0: there was none.
     */
    default long lastCommit(int replicaSet) {
        return isDirty() ? openCommit() : openCommit() - 1;
    }

    /** Whether the open commit holds anything. */
    boolean isDirty();

    /** Closes the open commit and hands it on; the outcome comes to {@link CommitOutcome}. */
    void commit();
}
