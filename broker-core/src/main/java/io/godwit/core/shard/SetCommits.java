package io.godwit.core.shard;

import java.util.ArrayDeque;

/** How far the commits of one shard have come for the queues of one copy set. */
final class SetCommits {
    /**
     * A commit that the store has, and that followers may have to confirm.
     *
     * @param position of the journal up to which it was written
     */
    record Unconfirmed(long commit, long position) {}

    final CommitWaiters waiting = new CommitWaiters();
    final ArrayDeque<Unconfirmed> unconfirmed = new ArrayDeque<>();

    /** Number of the last commit that counts for this set. */
    long settled;

    /** Notes that the store has a commit. */
    void written(long commit, long position) {
        Unconfirmed last = unconfirmed.peekLast();
        if (last != null && last.position == position) {
            unconfirmed.removeLast(); // Nothing was written between the two.
        }
        unconfirmed.addLast(new Unconfirmed(commit, position));
    }

    /** Tells the waiters of a commit and of those before it. */
    void settle(long commit, boolean isKept) {
        settled = commit;
        waiting.settle(commit, isKept);
    }
}
