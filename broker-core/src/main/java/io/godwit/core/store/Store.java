package io.godwit.core.store;

import io.godwit.core.id.IdFloor;
import io.godwit.core.metrics.TimeHistogram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The port of the store, which keeps what outlives a restart of the node. Asynchronous and batched:
 * each shard gathers operations into its open commit and closes it once per loop turn.
 *
 * <p>In this order: {@link #start}, {@link #open} for each shard, {@link #recover}; only then the
 * shards run.
 */
public interface Store extends CopyStore, AutoCloseable {
    /**
     * @param shards that will be opened
     * @return above which ids begin
     */
    IdFloor start(int shards, StoreListener listener);

    /**
     * Tells everything that was kept, on the calling thread: groups first, then sessions in the
     * order of their queue ids, then retained messages. What another node leads is left out.
     */
    void recover(Recovery to);

    /**
     * Opens the part that one shard writes.
     *
     * @param outcome told about every commit, in the order of their numbers, from any thread
     */
    ShardStore open(int shard, CommitOutcome outcome);

    /**
     * Whether anything outlives the process. If not, {@link #recover} never tells anything, and
     * what a restart would have taken up has to happen before the end: wills, above all.
     */
    default boolean keeps() {
        return true;
    }

    /**
     * Divides the queues into {@link CopySets} and sets what takes their parts for other nodes;
     * called once, before {@link #recover}.
     */
    default void ship(PartListener to) {
        throw new IllegalStateException("this store writes nothing down");
    }

    /**
     * Has everything in the journal's window become rows now, since memory is short. Any thread.
     */
    void endWindow();

    /**
     * Whether more waits to be written than the store wants to hold: until it has caught up nobody
     * who publishes is read. Any thread, once started.
     */
    default boolean isBehind() {
        return false;
    }

    /**
     * Bytes that new sessions, new subscriptions and Wills may write during one disk alarm. Any
     * thread.
     */
    default long alarmReserveBytes() {
        return Long.MAX_VALUE;
    }

    /** Bytes of messages that stay in memory until the window ends. Any thread. */
    long windowBytes();

    /** The value of a metric. Any thread. */
    long value(StoreMetric metric);

    /** How long syncs of the journal took; null where nothing is synced. Any thread. */
    default @Nullable TimeHistogram syncTimes() {
        return null;
    }

    /** The damage found since the start, as sentences without a full stop. Any thread. */
    default List<String> damage() {
        return List.of();
    }

    /** Writes what is under way, then closes. Nothing is called back any more. */
    @Override
    void close();
}
