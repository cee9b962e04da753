package io.godwit.cluster.replication;

import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import java.util.function.Consumer;

/** Finds and reads queues of the store to fill copies of them. */
public interface CopyStore {
    /** See {@link io.godwit.core.store.Store#readFill}. */
    void readFill(FillAsk ask, FillReader to);

    /**
     * Finds the queues of a copy set.
     *
     * @param then takes their queue ids, rising; on a thread of the store
     */
    void queuesOf(int copySet, Consumer<long[]> then);

    /** See {@link io.godwit.core.store.Store#copiesOf}. */
    void copiesOf(int leader, Consumer<long[]> then);

    /** See {@link io.godwit.core.store.Store#endedOf}. */
    void endedOf(long[] queueIds, Consumer<long[]> then);

    /**
     * Counts the queues of each copy set.
     *
     * @param then takes the counts by set; on a thread of the store
     */
    void countQueues(Consumer<int[]> then);

    /** See {@link io.godwit.core.store.Store#describeAll}. */
    void describeAll(DigestReader to);
}
