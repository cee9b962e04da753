package io.godwit.core.store;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;

/**
 * One queue as the store knows it. Operations gather in the open commit of the shard that has the
 * queue, and only that shard's thread calls. See {@link ShardStore} for what each one means.
 */
public interface KeptQueue {
    long queueId();

    /**
     * Returns the copy set, whose queues have their copies at the same nodes; 0: there are no
     * copies.
     */
    int copySet();

    /** See {@link ShardStore#putPredecessor}. */
    void precededBy(long predecessorId);

    /** Appends an entry, which becomes {@link QueuedMessage#OPEN}. */
    void append(QueuedMessage entry);

    /** See {@link ShardStore#remember}. */
    void remember(Remembered ingress);

    /** See {@link ShardStore#forget}. */
    void forget(Remembered ingress);

    /** Tells that the entry was given its packet id. */
    void inFlight(QueuedMessage entry);

    /** Tells that PUBREC came for the entry: only a marker stays. */
    void released(QueuedMessage entry);

    /** See {@link ShardStore#inFlightTo}. */
    void inFlightTo(QueuedMessage entry, Receiver to);

    /** See {@link ShardStore#idleAgain}. */
    void idleAgain(QueuedMessage entry);

    /** Removes an entry that was delivered, has expired or was discarded. */
    void remove(QueuedMessage entry);

    /**
     * Removes a row that was not read and has expired or was discarded.
     *
     * @param server of the message id: not always this node's
     */
    void removeRow(long messageId, int server);

    /** Reads a page of this queue's rows; the answer comes on the shard's thread. */
    void read(RowRead page);

    /**
     * Calls the waiter when everything that was told so far of queues of this one's copy set is
     * committed, and confirmed by the set's followers; at once if it is, also when operations of
     * other sets are under way.
     */
    void whenKept(CommitWaiter waiter);

    /**
     * Asks what the queue holds: last written id, coverage, counts and digest, all of one moment
     * behind everything that was committed before.
     */
    void describe(QueueState.Reader to);
}
