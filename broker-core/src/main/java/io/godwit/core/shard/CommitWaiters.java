package io.godwit.core.shard;

import io.godwit.core.store.CommitWaiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The waiters of each commit: told commit by commit, and those of one commit in the order in which
 * they came. One object for each commit, used again, and none for each waiter.
 */
final class CommitWaiters {
    /** How many spare groups are held: commits under way at the same time are few. */
    private static final int SPARE_MAX = 64;

    private static final class Group {
        long commit;
        final ArrayDeque<CommitWaiter> waiters = new ArrayDeque<>();
    }

    /** The groups of waiters, rising by commit. */
    private final List<Group> groups = new ArrayList<>();

    private final List<Group> spare = new ArrayList<>();

    /**
     * @param commit nearly always the highest so far: a replica set may wait for an earlier one
     */
    void add(long commit, CommitWaiter waiter) {
        int at = groups.size();
        while (at > 0 && groups.get(at - 1).commit > commit) {
            at--;
        }
        Group group;
        if (at > 0 && groups.get(at - 1).commit == commit) {
            group = groups.get(at - 1);
        } else {
            group = spare.isEmpty() ? new Group() : spare.remove(spare.size() - 1);
            group.commit = commit;
            groups.add(at, group);
        }
        group.waiters.add(waiter);
    }

    /** Whether there are waiters of this commit or of earlier ones. */
    boolean areLeft(long commit) {
        for (Group each : groups) {
            if (each.commit > commit) {
                return false;
            }
            if (!each.waiters.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Tells the waiters of this commit and earlier ones; they may add waiters for later ones. */
    void settle(long commit, boolean isKept) {
        while (!groups.isEmpty() && groups.get(0).commit <= commit) {
            Group first = groups.get(0);
            long told = first.commit;
            CommitWaiter waiter;
            // A waiter may settle a later commit: then this group is told, and used again.
            while (first.commit == told && (waiter = first.waiters.poll()) != null) {
                waiter.onCommit(isKept);
            }
            if (!groups.isEmpty() && groups.get(0).commit == told) {
                forgetFirst();
            }
        }
    }

    private void forgetFirst() {
        Group told = groups.remove(0);
        if (spare.size() < SPARE_MAX) {
            spare.add(told);
        }
    }
}
