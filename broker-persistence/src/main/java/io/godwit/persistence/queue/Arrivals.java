package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an entry of the journal makes void of what waits before it, noted when it comes into the
 * window: all of it is in the journal by then, behind what it makes void.
 */
public final class Arrivals {
    private final QueueLeaders queueLeaders;
    private final Coverages coverages;
    private final Map<RowId, Subject.Got> got = new HashMap<>();

    /** Counts the ends of each queue's session or group that are in the window. */
    private final Map<Long, Integer> removedQueues = new HashMap<>();

    /** Counts those of these ends that are remembered. */
    private final Map<Long, Integer> endedQueues = new HashMap<>();

    private final ByteWriter packing = new ByteWriter(4096);

    public Arrivals(QueueLeaders queueLeaders, Coverages coverages) {
        this.queueLeaders = queueLeaders;
        this.coverages = coverages;
    }

    public void arrive(JournalEntry entry) {
        for (OpList list : entry.lists) {
            for (int i = 0; i < list.size(); i++) {
                arrive(list.op(i), list.subject(i));
            }
            RemovedRows.pack(list, packing);
        }
    }

    private void arrive(Op op, Object subject) {
        switch (op) {
            case FORGOTTEN -> {
                Remembered ingress = (Remembered) subject;
                if (ingress.kept == Remembered.NEW) {
                    ingress.kept = Remembered.GONE;
                }
            }
            case REMOVE -> {
                if (subject instanceof QueuedMessage entry) {
                    Thinning.removed(entry);
                }
            }
            case GOT -> {
                Subject.Got now = (Subject.Got) subject;
                voided(got.put(new RowId(now.queueId, now.clock, now.server), now));
            }
            case GOT_GONE -> {
                Subject.GotGone gone = (Subject.GotGone) subject;
                voided(got.remove(new RowId(gone.queueId(), gone.clock(), gone.server())));
            }
            case INBOUND_GONE -> {
                Inbound inbound = (Inbound) subject;
                if (inbound.kept == Inbounds.NEW) {
                    inbound.kept = Inbounds.GONE;
                }
            }
            case SESSION_GONE, GROUP_GONE -> {
                Subject.OfQueue gone = (Subject.OfQueue) subject;
                removedQueues.merge(gone.queueId(), 1, Integer::sum);
                if (gone.isRemembered()) {
                    endedQueues.merge(gone.queueId(), 1, Integer::sum);
                }
            }
            case ADOPTED -> {
                Subject.Adopted adopted = (Subject.Adopted) subject;
                queueLeaders.adopt(adopted.queueId(), adopted.epoch());
            }
            case YIELDED -> {
                Subject.Yielded yielded = (Subject.Yielded) subject;
                queueLeaders.yieldTo(yielded.queueId, yielded.epoch);
                coverages.yielded(yielded);
            }
            case APPEND,
                    IN_FLIGHT,
                    IN_FLIGHT_TO,
                    RELEASED,
                    INBOUND,
                    PRECEDED_BY,
                    COPY_RANGE,
                    REMEMBERED,
                    INBOUND_TAKEN,
                    RETAINED,
                    ROW_GONE,
                    SESSION,
                    SUBSCRIPTION,
                    SUBSCRIPTION_GONE,
                    GROUP,
                    RETAINED_GONE,
                    CLOCK,
                    QUEUE_IDS,
                    STREAM -> {}
        }
    }

    private static void voided(Subject.@Nullable Got earlier) {
        if (earlier != null) {
            earlier.isVoid = true;
        }
    }

    /** The removal leaves the window: what follows finds it on the disk. */
    void left(Subject.Got leaving) {
        got.remove(new RowId(leaving.queueId, leaving.clock, leaving.server), leaving);
    }

    /** Whether the session or group of this queue ends later in the window. */
    public boolean isRemoved(long queueId) {
        return !removedQueues.isEmpty() && removedQueues.containsKey(queueId);
    }

    /** Whether the session or group of this queue ends later in the window, for good. */
    public boolean isEnded(long queueId) {
        return !endedQueues.isEmpty() && endedQueues.containsKey(queueId);
    }

    void left(Subject.OfQueue gone) {
        leaves(removedQueues, gone.queueId());
        if (gone.isRemembered()) {
            leaves(endedQueues, gone.queueId());
        }
    }

    private static void leaves(Map<Long, Integer> counts, long queueId) {
        counts.computeIfPresent(queueId, (id, ends) -> ends > 1 ? ends - 1 : null);
    }
}
