package io.godwit.core.shard;

import io.godwit.core.store.CommitWaiter;
import java.util.ArrayDeque;

/** Who waits for which commit, in order: one object for each commit and none for each waiter. */
final class CommitWaiters {
    private static final class Group {
        final long commit;
        int size;

        Group(long commit) {
            this.commit = commit;
        }
    }

    private final ArrayDeque<CommitWaiter> waiters = new ArrayDeque<>();
    private final ArrayDeque<Group> groups = new ArrayDeque<>();

    /**
     * @param commit no lower than that of the waiter before
     */
    void add(long commit, CommitWaiter waiter) {
        Group last = groups.peekLast();
        if (last == null || last.commit != commit) {
            last = new Group(commit);
            groups.add(last);
        }
        last.size++;
        waiters.add(waiter);
    }

    /** Tells those that wait for this commit or an earlier one; they may add waiters for later. */
    void settle(long commit, boolean durable) {
        Group first;
        while ((first = groups.peek()) != null && first.commit <= commit) {
            if (first.size == 0) {
                groups.remove();
            } else {
                first.size--;
                waiters.remove().onCommit(durable);
            }
        }
    }
}
