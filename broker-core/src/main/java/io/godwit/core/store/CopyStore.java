package io.godwit.core.store;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds, reads and describes queues, to fill copies of them and to compare these. A part of the
 * port of the store; one that keeps nothing on a disk has no copies, and throws.
 */
public interface CopyStore {
    /**
     * Reads what some of this node's queues hold at one moment of the journal, as bodies of parts
     * that fill another node's copy ({@link ShardStore#apply}): its records and entries replace
     * what the copy has. Of a queue that has ended the copy keeps nothing. A queue that is the same
     * in the copy is left out. Any thread, once started; pieces are read one after the other,
     * behind all pages that shards wait for.
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
     * Encodes which queues of a copy set this node has adopted, as bodies of parts. Where these
     * stand in a stream, the follower's copies of a former leader become copies of this node's, as
     * they are: what the former leader has written and comes later does not count. Any thread, once
     * started.
     *
     * @param then takes the bodies for {@link ShardStore#apply}, none when nothing was adopted; on
     *     a thread of the store
     */
    default void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
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
     * Reads the digests of some copies at one moment of the journal, behind all that was committed
     * before. They are made of all that a fill brings: what the queue holds, its records, which ids
     * are accounted for, and the epoch under which its leader leads it. {@link #readFill} leaves a
     * queue out whose own digest is the same. Any thread, once started.
     *
     * @param queueIds 1 to {@link FillAsk#QUEUES_MAX}, rising by {@link Long#compareUnsigned}
     * @param then takes them in the order of the queue ids; that of nothing stands for a copy that
     *     can't be described, and is the same as none; on a thread of the store, or the caller's
     */
    default void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * A queue that this node may {@linkplain ShardStore#adopt adopt}: it has a copy of it.
     *
     * @param clientId of its session; null of a part of a shared group
     * @param predecessorId queue id of what is drained before it, and is adopted with it; 0 for
     *     nothing
     */
    record Adoptable(long queueId, @Nullable ClientId clientId, long predecessorId) {}

    /**
     * Finds the queues of sessions, or of shared groups, that another node leads and that this one
     * has copies of, of one copy set, as they stand behind all parts applied so far. Sessions that
     * are over but owe a Will belong to them; what was adopted does not. Any thread, once started.
     *
     * @param leader server id of that node
     * @param copySet see {@link CopySets}
     * @param then takes them in the order of their queue ids, on a thread of the store; not called
     *     when the store has failed or was closed
     */
    default void adoptableOf(int leader, int copySet, Consumer<List<Adoptable>> then) {
        throw new IllegalStateException("this store has no copies");
    }

    /**
     * Finds those of some queues that this node does not lead: they have neither a session nor a
     * group here any more, or another node leads them. Any thread, once started.
     *
     * @param then takes their queue ids, in the same order; on a thread of the store
     */
    default void notLedOf(long[] queueIds, Consumer<long[]> then) {
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
