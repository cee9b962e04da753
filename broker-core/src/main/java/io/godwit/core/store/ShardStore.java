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
     * Puts a session's record, which is new or changed (another expiry, a will, a disconnect). A
     * transient session has one while it has a will that the broker owes: expiry 0.
     */
    void putSession(ClientId clientId, SessionRecord session);

    /**
     * Removes a session that ended: its subscriptions, its queue and its inbound ids go with it.
     */
    void removeSession(ClientId clientId, long queueId, HybridId stamp);

    /** Puts a subscription, which is new or changed. */
    void putSubscription(long queueId, Subscription subscription, HybridId stamp);

    void removeSubscription(long queueId, TopicFilter filter, HybridId stamp);

    /**
     * Puts the queue of a part of a durable shared group.
     *
     * @param part 0..15, with {@link Recovery#GROUP_ASIDE} when it is set aside
     */
    void putGroup(TopicFilter filter, int part, long queueId);

    /** Removes one queue of a group that ended, or is not durable any more. */
    void removeGroup(TopicFilter filter, long queueId, HybridId stamp);

    /**
     * The handle by which the store knows a queue; asked for once by whoever has the queue, so that
     * nothing is looked up for a message. It is null in a store that writes nothing down.
     */
    default @Nullable QueueHandle handle(long queueId) {
        return null;
    }

    /** See {@link KeptQueue#describe}. */
    default void describe(long queueId, QueueState.Reader to) {
        throw new IllegalStateException("this store has no rows");
    }

    /**
     * Makes this node the leader of a queue of which it has a copy. Nothing else may be asked of
     * the queue before {@code to} was told.
     *
     * @param epoch above that of its previous leader
     * @param to is told of the session or group with its queue when everything that was applied
     *     before is rows, and then that it {@linkplain Recovery#adopted was adopted}; on a thread
     *     of the store. Of a queue without either, or one that goes before another, it is told the
     *     latter alone
     */
    default void adopt(long queueId, Epoch epoch, Recovery to) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /**
     * Makes a queue that this node leads a copy of another node's, which has taken it over: all of
     * it stays where it is. Nothing else is told of the queue from now on, unless it is {@linkplain
     * #adopt adopted} again.
     *
     * @param leader epoch under which the other node leads the queue
     */
    default void yieldTo(long queueId, Epoch leader) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /**
     * Puts another queue before a session's, or a group's part: frozen, drained first, and given up
     * then by {@link #removeSession} or {@link #removeGroup} with its queue id. Of a session or
     * group whose queue it was, nothing else counts any more.
     */
    default void putPredecessor(long queueId, long predecessorId) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /**
     * Applies a part of another node's stream: it is kept when the commit that it goes into is. One
     * that the stream has brought before changes nothing, nor do queues of which a later epoch is
     * known. Of a queue that this node has always led the store knows no epoch: whoever calls has
     * to compare, before.
     *
     * @param server server id of the node whose stream it is
     * @param start start number of that stream
     * @param position in that stream
     * @param body the bytes that {@link PartListener#onPart} had there
     * @throws IndexOutOfBoundsException when this is no part; nothing of it counts then
     */
    default void apply(int server, long start, long position, byte[] body) {
        throw new IllegalStateException("this store has no copies of queues");
    }

    /** Appends an entry, which becomes {@link QueuedMessage#OPEN}. */
    void append(QueuedMessage entry);

    /** Has a queue remember the ingress id of a QoS 2 message that was just appended to it. */
    void remember(Remembered ingress);

    /**
     * Has a queue forget an ingress id: the publisher's side is done with the message. Lazy: it
     * goes with the next commit that there is a reason for, and nobody waits for it.
     */
    void forget(Remembered ingress);

    /** Tells that the entry was given its packet id; only QoS 2 waits for that. */
    void inFlight(QueuedMessage entry);

    /** Tells that PUBREC came for the entry: only a marker stays. */
    void released(QueuedMessage entry);

    /**
     * Tells that an entry of a group's queue is in flight at QoS 2 under its packet id.
     *
     * @param to the member that has it
     */
    void inFlightTo(QueuedMessage entry, Receiver to);

    /** Tells that an entry of a group's queue is not in flight any more, and was not sent. */
    void idleAgain(QueuedMessage entry);

    /**
     * Removes an entry that was delivered, has expired or was discarded. Nothing is written when
     * its append was not encoded yet (the two cancel out) or never was with the store.
     */
    void remove(QueuedMessage entry);

    /**
     * Removes a row that was not read and has expired or was discarded.
     *
     * @param messageId of an idle row
     * @param server of the message id: not always this node's
     */
    void removeRow(long queueId, long messageId, int server);

    /**
     * Puts a marker into a session's own queue, since PUBREC came for an entry of a group: so
     * PUBREL follows after a restart. The group's entry is removed by an operation of its own.
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

    /** Removes a marker of {@link #putMarker}, since PUBCOMP came. */
    void removeMarker(long queueId, long messageId, int server);

    /** Puts an inbound QoS 2 PUBLISH that was taken in. */
    void putInbound(Inbound inbound);

    /**
     * Tells that every target has taken an inbound PUBLISH in; it is acknowledged now. One that
     * comes again without that after a restart is routed again, and the queues that have it
     * recognise it.
     */
    void inboundTaken(Inbound inbound);

    /** Removes an inbound PUBLISH whose PUBREL came. */
    void removeInbound(Inbound inbound);

    /**
     * Reserves queue counters: none above this ceiling is given, and those below it from the
     * commit's end on.
     */
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
     * Number of the last commit, the open one included, that holds an operation of a copy set: what
     * waits for that set's operations so far waits for this one. 0: there was none.
     */
    default long lastCommit(int copySet) {
        return isDirty() ? openCommit() : openCommit() - 1;
    }

    /**
     * Returns the copy set of a client id's queue; 0 when queues have no copies at other nodes.
     * Until the queue's session is put, this is the only way to know it.
     */
    default int copySet(ClientId clientId) {
        return CopySets.NONE;
    }

    /** Whether the open commit holds anything. */
    boolean isDirty();

    /** Closes the open commit and hands it on; the outcome comes to {@link CommitOutcome}. */
    void commit();
}
