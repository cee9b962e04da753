package io.godwit.core.store;

import java.util.function.Consumer;

/**
 * Finds, reads and describes queues, to fill copies of them and to compare these. A part of the
 * port of the store; one that keeps nothing on a disk has no copies, and throws.
 */
public interface CopyStore {
    /**
     * Reads what some of this node's queues hold at one moment of the journal, as bodies of parts
     * that fill another node's copy ({@link ShardStore#apply}): its records and entries replace
     * what the copy has. Of a queue that has ended the copy keeps nothing. Any thread, once
     * started; pieces are read one after the other, behind all pages that shards wait for.
     */
    default void readFill(FillAsk ask, FillReader to) {
        throw new IllegalStateException("this store has no rows");
    }

    /**
     * Finds the queues of a copy set that have a session or a group here. Any thread, once started.
     *
     * @param then takes their queue ids, rising without a sign; on a thread of the store
     */
    default void queuesOf(int copySet, Consumer<long[]> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * Finds the queues of another node that this one has copies of, also of what was committed just
     * before. Any thread, once started.
     *
     * @param leader server id of that node
     * @param then takes their queue ids, rising without a sign; on a thread of the store. It hears
     *     nothing of a store that is closed, or has failed
     */
    default void copiesOf(int leader, Consumer<long[]> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * Finds those of some queues that have neither a session nor a group here any more. Any thread,
     * once started.
     *
     * @param then takes their queue ids, in the same order; on a thread of the store
     */
    default void endedOf(long[] queueIds, Consumer<long[]> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * Counts the queues of each copy set that have a session or a group here. Any thread, once
     * started.
     *
     * @param then takes the counts by set; on a thread of the store
     */
    default void countQueues(Consumer<int[]> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * Reads the digests of all queues at one moment of the journal, of copies, too. Any thread,
     * once started; expensive, since it walks over all records. Its moment comes before those of
     * other reads that wait; while it is read {@link #readFill} waits.
     */
    default void describeAll(DigestReader to) {
        throw new IllegalStateException("this store has no rows");
    }
}
