package io.godwit.persistence.window;

import io.godwit.core.id.Epoch;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.QueueLeaders;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which operations of another node's part count: none on a queue of which a later epoch is
 * known, and few on one that has ended. On the row worker.
 */
final class CopiedQueues {
    private final DiskView disk;
    private final QueueLeaders queueLeaders;
    private final StoreCounts counts;

    // Of the part under way.
    private final Set<Long> refused = new HashSet<>();
    private final Set<Long> ended = new HashSet<>();
    private final Set<Long> ofOtherLeader = new HashSet<>();

    /** Queues whose leader is not known yet. */
    private final Map<Long, Epoch> unknown = new HashMap<>();

    private long position;

    /** Holds the copies whose end is in the window, or in the part under way. */
    private final Set<Long> ending = new HashSet<>();

    /** Holds the copies of sessions that ended at their leader: what follows is refused. */
    private final Set<Long> endedForGood = new HashSet<>();

    /** Knows the ends in the window, those too of queues that this node led until then. */
    private @Nullable Arrivals arrivals;

    /** Queues with a session again behind its end, and the position of its last record. */
    private final Map<Long, Long> livingAgain = new HashMap<>();

    CopiedQueues(DiskView disk, QueueLeaders queueLeaders, StoreCounts counts) {
        this.disk = disk;
        this.queueLeaders = queueLeaders;
        this.counts = counts;
    }

    /** Takes who knows what is in the window. */
    void attach(Arrivals ofWindow) {
        arrivals = ofWindow;
    }

    /**
     * Begins a part.
     *
     * @param at position of the journal where it stands
     */
    void begin(PartDecoder in, long at) throws DiskFailure {
        position = at;
        refused.clear();
        ended.clear();
        ofOtherLeader.clear();
        unknown.clear();
        for (int i = 0; i < in.queues(); i++) {
            long queueId = in.queueId(i);
            Epoch epoch = new Epoch(in.epoch(i), in.leader());
            byte[] gone = disk.get(Family.META, Keys.meta('Z', queueId));
            Epoch before = queueLeaders.epoch(queueId);
            if (before != null ? !queueLeaders.accept(queueId, epoch) : isBefore(epoch, gone)) {
                refused.add(queueId);
                counts.add(StoreMetric.PARTS_REFUSED, 1);
            } else if (before == null) {
                unknown.put(queueId, epoch);
            } else if (before.server() != epoch.server()) {
                ofOtherLeader.add(queueId);
            }
            if (hasEnded(queueId, gone)) {
                ended.add(queueId);
            }
        }
    }

    /** Whether the queue has ended under a later epoch. */
    private static boolean isBefore(Epoch epoch, byte @Nullable [] gone) {
        Epoch last = gone == null ? null : Forgetting.epochOf(gone);
        return last != null && epoch.compareTo(last) < 0;
    }

    private boolean hasEnded(long queueId, byte @Nullable [] gone) throws DiskFailure {
        if (livingAgain.containsKey(queueId)) {
            return false;
        }
        boolean isEnded = arrivals != null && arrivals.isEnded(queueId);
        return isEnded
                || endedForGood.contains(queueId)
                || gone != null && disk.get(Family.META, Keys.meta('S', queueId)) == null;
    }

    /** Returns the queues of the part under way that another node has led until now. */
    Set<Long> ofOtherLeader() {
        return ofOtherLeader;
    }

    /** Takes the operation that was read, and tells whether it counts. */
    boolean take(PartDecoder in) {
        boolean isCounted = !refused.contains(in.queueId) && counts(in);
        Epoch epoch = unknown.isEmpty() ? null : unknown.get(in.queueId);
        if (isCounted && epoch != null && makesCopy(in)) {
            unknown.remove(in.queueId);
            queueLeaders.accept(in.queueId, epoch);
        }
        return isCounted;
    }

    private boolean counts(PartDecoder in) {
        return switch (in.op) {
            case SESSION -> {
                boolean isAgain = ended.remove(in.queueId) || isEnding(in.queueId);
                if (isAgain || livingAgain.containsKey(in.queueId)) {
                    lives(in.queueId);
                }
                yield true;
            }
            case COPY_RANGE -> {
                if (ended.remove(in.queueId)) {
                    lives(in.queueId);
                }
                yield true;
            }
            case SESSION_GONE, GROUP_GONE -> {
                gone((Subject.OfQueue) in.subject);
                yield true;
            }
            case APPEND, REMEMBERED, GOT, INBOUND, SUBSCRIPTION, GROUP, PRECEDED_BY ->
                    !ended.contains(in.queueId);
            default -> true;
        };
    }

    /** Whether there is a copy afterwards also if there was none; other operations come late. */
    private static boolean makesCopy(PartDecoder in) {
        return switch (in.op) {
            case APPEND, REMEMBERED, GOT, INBOUND, SESSION, SUBSCRIPTION, GROUP, PRECEDED_BY ->
                    true;
            case COPY_RANGE -> !((Subject.CopyRange) in.subject).isGone();
            default -> false;
        };
    }

    private void lives(long queueId) {
        livingAgain.put(queueId, position);
        queueLeaders.livesAgain(queueId);
    }

    /** Notes the end of a queue's session or group. */
    void gone(Subject.OfQueue end) {
        long queueId = end.queueId();
        livingAgain.remove(queueId);
        queueLeaders.livesNoMore(queueId);
        ending.add(queueId);
        if (end.isRemembered()) {
            endedForGood.add(queueId);
        }
    }

    /** Whether an end of a queue's session or group is in the window. */
    boolean isEnding(long queueId) {
        return ending.contains(queueId) || arrivals != null && arrivals.isRemoved(queueId);
    }

    /** Notes that the end of a queue has left the window. */
    void goneLeft(long queueId) {
        ending.remove(queueId);
        endedForGood.remove(queueId);
    }

    /**
     * Notes that the record of a session has left the window.
     *
     * @param at position of the journal where it stands
     */
    void recordLeft(long queueId, long at) {
        if (livingAgain.remove(queueId, at)) {
            queueLeaders.livesNoMore(queueId);
        }
    }

    /** Everything that was taken is on the disk. */
    void clear() {
        ending.clear();
        endedForGood.clear();
        livingAgain.keySet().forEach(queueLeaders::livesNoMore);
        livingAgain.clear();
    }
}
