package io.godwit.persistence.journal;

import io.godwit.core.message.QueueHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The queues that the store knows of: one object for each, whoever asks for it. Any thread. */
public final class QueueHandles {
    private final Map<Long, QueueHandle> all = new ConcurrentHashMap<>();

    /** The queue's; made when nobody has asked for it before. */
    public QueueHandle get(long queueId) {
        QueueHandle known = all.get(queueId);
        return known != null ? known : all.computeIfAbsent(queueId, id -> new QueueHandle(id, 0));
    }

    public @Nullable QueueHandle find(long queueId) {
        return all.get(queueId);
    }

    /** Puts one in place before anybody asks for it. */
    public void add(QueueHandle queue) {
        all.put(queue.queueId, queue);
    }

    /** Its queue is gone. */
    public void remove(long queueId) {
        all.remove(queueId);
    }
}
