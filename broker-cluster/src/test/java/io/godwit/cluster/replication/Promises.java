package io.godwit.cluster.replication;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What was acknowledged of one queue and may not be lost; of each thing, whether it has to be on
 * the disks of followers, too.
 */
final class Promises {
    final long queueId;
    final int copySet;

    /** Entries of the queue, by the clock of their message id. */
    final Map<Long, Boolean> entries = new TreeMap<>();

    /** Entries whose subscriber has the message: nothing of it is owed any more. */
    final Set<Long> released = new TreeSet<>();

    /** Entries whose removal was acknowledged. */
    final Set<Long> removed = new TreeSet<>();

    final Map<String, Boolean> subscriptions = new TreeMap<>();

    /** The last operation on each filter. */
    final Map<String, Integer> subscribed = new HashMap<>();

    int versions;

    /** The session itself; null when it was not acknowledged, or its end was asked for. */
    @Nullable Boolean session;

    private boolean isEnded;

    /** What the node had on its disk that has taken the queue over; null: none has. */
    @Nullable DiskContents takenOver;

    /** Returns the same promises, which another node has to keep from now on. */
    Promises move(DiskContents contents) {
        Promises made = new Promises(queueId, copySet);
        made.entries.putAll(entries);
        made.released.addAll(released);
        made.removed.addAll(removed);
        made.subscriptions.putAll(subscriptions);
        made.session = session;
        made.isEnded = isEnded;
        made.areCopied(false);
        takenOver = contents;
        return made;
    }

    Promises(long queueId, int copySet) {
        this.queueId = queueId;
        this.copySet = copySet;
    }

    /** Notes that all of it has to be on followers' disks, or that of some a disk was lost. */
    void areCopied(boolean now) {
        entries.replaceAll((id, before) -> now);
        subscriptions.replaceAll((filter, before) -> now);
        if (session != null) {
            session = now;
        }
    }

    /** The leader's disk holds what it held before: nothing else of it is promised by that disk. */
    void setBack(DiskContents left) {
        entries.keySet().removeIf(id -> !left.hasEntry(queueId, id));
        subscriptions.keySet().removeIf(filter -> !left.hasSubscription(queueId, filter));
        removed.clear();
    }

    /** The end of the session was asked for: nothing of it is promised any more. */
    void end() {
        isEnded = true;
        entries.clear();
        removed.clear();
        subscriptions.clear();
        session = null;
    }

    boolean isEnded() {
        return isEnded;
    }
}
