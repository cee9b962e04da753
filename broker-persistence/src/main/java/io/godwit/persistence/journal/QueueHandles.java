package io.godwit.persistence.journal;

import io.godwit.core.message.QueueHandle;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The queues that the store knows of: one object for each, whoever asks for it. Of a queue that is
 * gone it goes on being one for as long as anybody has it, and is kept no longer. Any thread.
 */
public final class QueueHandles {
    private static final class Gone extends WeakReference<QueueHandle> {
        final long queueId;

        Gone(QueueHandle queue, ReferenceQueue<QueueHandle> unused) {
            super(queue, unused);
            queueId = queue.queueId;
        }
    }

    private final Map<Long, QueueHandle> all = new ConcurrentHashMap<>();
    private final Map<Long, Gone> gone = new ConcurrentHashMap<>();
    private final ReferenceQueue<QueueHandle> unused = new ReferenceQueue<>();

    /** Whether any queue is of another set than 0. */
    private volatile boolean hasSets;

    /** The queue's; made when nobody has asked for it before. */
    public QueueHandle get(long queueId) {
        return get(queueId, 0);
    }

    /** The queue's, or null when nobody has asked for it. */
    public @Nullable QueueHandle find(long queueId) {
        QueueHandle known = all.get(queueId);
        return known == null ? ofGone(queueId) : known;
    }

    /**
     * @param replicaSet of one that nobody has asked for before
     */
    public QueueHandle get(long queueId, int replicaSet) {
        QueueHandle known = all.get(queueId);
        if (known == null) {
            known = ofGone(queueId);
        }
        if (known != null) {
            return known;
        }
        if (replicaSet > 0) {
            hasSets = true;
        }
        return all.computeIfAbsent(queueId, id -> new QueueHandle(id, replicaSet));
    }

    private @Nullable QueueHandle ofGone(long queueId) {
        Gone known = gone.get(queueId);
        return known == null ? null : known.get();
    }

    /** The queue's replica set; looked up only when there is more than one. */
    public int setOf(long queueId) {
        return hasSets ? get(queueId).replicaSet : 0;
    }

    /** Its session or group has a record, perhaps again: it may have been gone. */
    public void lives(long queueId) {
        QueueHandle known = ofGone(queueId);
        if (known != null) {
            all.putIfAbsent(queueId, known);
            gone.remove(queueId);
        }
    }

    /** Nothing of the queue is left. Whoever has an operation on it yet finds the same object. */
    public void remove(long queueId) {
        QueueHandle known = all.get(queueId);
        if (known != null) {
            gone.put(queueId, new Gone(known, unused));
            all.remove(queueId);
        }
        for (Reference<?> each = unused.poll(); each != null; each = unused.poll()) {
            Gone nobodys = (Gone) each;
            gone.remove(nobodys.queueId, nobodys);
        }
    }

    /** How many there are of queues that are not gone. */
    public int size() {
        return all.size();
    }
}
