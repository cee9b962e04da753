package io.godwit.persistence.journal;

import io.godwit.core.message.QueueHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The queues that the store knows of: one object for each, whoever asks for it. Any thread. */
public final class QueueHandles {
    private final Map<Long, QueueHandle> all = new ConcurrentHashMap<>();

    /** Whether any queue is of another set than 0. */
    private volatile boolean hasSets;

    /** The queue's; made when nobody has asked for it before. */
    public QueueHandle get(long queueId) {
        return get(queueId, 0);
    }

    /**
     * @param replicaSet of one that nobody has asked for before
     */
    public QueueHandle get(long queueId, int replicaSet) {
        QueueHandle known = all.get(queueId);
        if (known != null) {
            return known;
        }
        if (replicaSet > 0) {
            hasSets = true;
        }
        return all.computeIfAbsent(queueId, id -> new QueueHandle(id, replicaSet));
    }

    /** The queue's replica set; looked up only when there is more than one. */
    public int setOf(long queueId) {
        return hasSets ? get(queueId).replicaSet : 0;
    }

    public @Nullable QueueHandle find(long queueId) {
        return all.get(queueId);
    }

    /** Its queue is gone. */
    public void remove(long queueId) {
        all.remove(queueId);
    }
}
