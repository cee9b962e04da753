package io.godwit.persistence.journal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers under which epochs this node led adopted queues that have ended: a queue that begins
 * again under the same id goes on under its epoch, since copies refuse a lower one. As many as
 * there are tombstones at most; then those that ended first go. Any thread.
 */
final class EndedEpochs {
    /** Some 2 MB. */
    static final int MAX = 20_000;

    private final Map<Long, Long> epochs =
            new LinkedHashMap<>(0) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
                    return size() > MAX;
                }
            };

    /** Whether there are any: without them nobody takes the lock. */
    private volatile boolean isSome;

    void put(long queueId, long epoch) {
        synchronized (epochs) {
            epochs.remove(queueId);
            epochs.put(queueId, epoch);
            isSome = true;
        }
    }

    /** Returns the epoch of a queue; 0: it was never adopted, or is not remembered. */
    long of(long queueId) {
        if (!isSome) {
            return 0;
        }
        synchronized (epochs) {
            return epochs.getOrDefault(queueId, 0L);
        }
    }
}
