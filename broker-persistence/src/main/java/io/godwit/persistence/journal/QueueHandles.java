package io.godwit.persistence.journal;

import io.godwit.core.id.QueueId;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
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

    /** Holds the epochs of adopted queues of which nothing is left, by queue id. */
    private final EndedEpochs epochs = new EndedEpochs();

    /** Whether queues have copies at other nodes, and are divided into copy sets. */
    private volatile boolean isDivided;

    /** The queue's; made when nobody has asked for it before. */
    public QueueHandle get(long queueId) {
        QueueHandle known = find(queueId);
        return known != null ? known : all.computeIfAbsent(queueId, this::make);
    }

    private QueueHandle make(long queueId) {
        QueueHandle made = new QueueHandle(queueId);
        made.epoch = epochs.of(queueId);
        return made;
    }

    /** Divides the queues into copy sets; before any is asked for. */
    public void divide() {
        isDivided = true;
    }

    /** Returns the copy set of a client id's queue. */
    public int copySet(ClientId clientId) {
        return isDivided ? CopySets.of(clientId) : CopySets.NONE;
    }

    /** Returns the copy set of the queues of shared groups. */
    public int copySetOfGroups() {
        return isDivided ? CopySets.GROUPS : CopySets.NONE;
    }

    /** The queue's, or null when nobody has asked for it. */
    public @Nullable QueueHandle find(long queueId) {
        QueueHandle known = all.get(queueId);
        return known == null ? ofGone(queueId) : known;
    }

    /**
     * Returns a queue whose session, group or successor is known.
     *
     * @param copySet the set that it belongs to from now on
     */
    public QueueHandle get(long queueId, int copySet) {
        QueueHandle queue = get(queueId);
        queue.copySet = copySet;
        return queue;
    }

    private @Nullable QueueHandle ofGone(long queueId) {
        Gone known = gone.get(queueId);
        return known == null ? null : known.get();
    }

    /** Returns the queue's copy set; looked up only when there are any. */
    public int copySet(long queueId) {
        return isDivided ? get(queueId).copySet : CopySets.NONE;
    }

    /** Returns the queue ids of a copy set, rising without a sign. */
    public long[] queuesOf(int copySet) {
        return QueueId.sorted(
                all.values().stream()
                        .filter(each -> each.copySet == copySet)
                        .mapToLong(each -> each.queueId));
    }

    /** Returns those of some queue ids whose session or group is gone, or another node's. */
    public long[] notLedOf(long[] queueIds, LongPredicate isCopy) {
        return LongStream.of(queueIds)
                .filter(each -> !isOwn(all.get(each)) || isCopy.test(each))
                .toArray();
    }

    private static boolean isOwn(@Nullable QueueHandle queue) {
        return queue != null && queue.copySet != CopySets.NONE;
    }

    /** Counts the queues of each copy set, without those that another node leads. */
    public int[] countBySet(LongPredicate isCopy) {
        int[] counts = new int[CopySets.LAST + 1];
        for (QueueHandle each : all.values()) {
            if (!isCopy.test(each.queueId)) {
                counts[each.copySet]++;
            }
        }
        return counts;
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
            if (known.epoch != 0) {
                epochs.put(queueId, known.epoch); // Copies refuse what has a lower one.
            }
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
