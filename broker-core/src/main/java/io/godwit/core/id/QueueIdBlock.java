package io.godwit.core.id;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue counters that the node may give: a block that the store has reserved, so that no later
 * start gives them again. When half of it is given the next block is asked for. Any shard.
 */
public final class QueueIdBlock {
    private static final Logger LOG = LoggerFactory.getLogger(QueueIdBlock.class);

    /** Asks the store to reserve more queue counters. */
    public interface Reserve {
        /**
         * @param ceiling no counter above this one is given
         * @param whenKept called on any thread once the store has kept that, never when it failed
         */
        void reserve(long ceiling, Runnable whenKept);
    }

    private final AtomicLong given;
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile long ceiling;

    public QueueIdBlock(IdFloor floor) {
        given = new AtomicLong(floor.queueCounter());
        ceiling = floor.queueCeiling();
    }

    /**
     * @return 0 when the block is used up: the store has not kept the next one yet, or there is
     *     none
     */
    long next(Reserve reserve) {
        long reserved = ceiling;
        if (reserved - given.get() <= IdFloor.QUEUE_BLOCK / 2
                && reserved < QueueId.COUNTER_MAX
                && asked.compareAndSet(false, true)) {
            long more = Math.min(QueueId.COUNTER_MAX, reserved + IdFloor.QUEUE_BLOCK);
            reserve.reserve(
                    more,
                    () -> {
                        ceiling = more;
                        asked.set(false);
                    });
        }
        while (true) {
            long last = given.get();
            long most = ceiling;
            if (last >= most) {
                LOG.warn(
                        "All reserved queue ids are used{}: a CONNECT that needs a new one is refused",
                        most < QueueId.COUNTER_MAX
                                ? ", and the store has not confirmed the next block yet"
                                : "; 'godwit store export' and 'import' make a store with a new"
                                        + " server id, which counts from the beginning");
                return 0;
            }
            if (given.compareAndSet(last, last + 1)) {
                return last + 1;
            }
        }
    }
}
