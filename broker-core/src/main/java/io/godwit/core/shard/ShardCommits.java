package io.godwit.core.shard;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.ShardStore;

/**
 * The commits of one shard: closes the open one at the end of a turn, and tells who waits when the
 * store has it, or never will.
 */
final class ShardCommits implements Commits {
    private final ShardStore store;
    private final boolean waitsForStore;
    private final Runnable assertInside;
    private final CommitWaiters waiting = new CommitWaiters();
    private boolean isClosing;

    /** Number of the last commit whose outcome is known. */
    private long settled;

    /** Number of the first commit that failed; 0: none did. */
    private long failed;

    /**
     * @param assertInside throws when another thread than the shard's calls it
     */
    ShardCommits(ShardStore store, Rules rules, Runnable assertInside) {
        this.store = store;
        this.waitsForStore = rules.holds(Rule.WAIT_FOR_STORE);
        this.assertInside = assertInside;
    }

    /** Closes the open commit, and those that open while what it completes is told of. */
    void close() {
        while (store.isDirty()) {
            isClosing = true;
            store.commit();
            isClosing = false;
        }
    }

    @Override
    public void afterCommit(CommitWaiter waiter) {
        after(store.isDirty() ? store.openCommit() : store.openCommit() - 1, waiter);
    }

    /**
     * Calls the waiter when the operations of one replica set that were gathered so far are
     * committed.
     */
    void afterCommit(int replicaSet, CommitWaiter waiter) {
        after(store.lastCommit(replicaSet), waiter);
    }

    private void after(long commit, CommitWaiter waiter) {
        assertInside.run();
        if (!waitsForStore) {
            waiter.onCommit(true);
            return;
        }
        if (commit <= settled) {
            // Nothing is added to it: it is about what was gathered before, and if any of that has
            // failed not all is committed, and never will be.
            waiter.onCommit(failed == 0);
        } else {
            waiting.add(commit, waiter);
        }
    }

    /** See {@link Shard#whenCommitted}. */
    void whenCommitted(long commit, CommitWaiter waiter) {
        afterCommit(isKept -> waiter.onCommit(isKept && (failed == 0 || commit < failed)));
    }

    /**
     * Whether the outcome of this commit may be told at once: it is told within {@link #close}, and
     * nothing told before is still on its way by mail.
     */
    boolean isToldInOrder(long commit) {
        return isClosing && settled == commit - 1;
    }

    /** Takes the outcome of a commit; called in the order of the commits. */
    void settle(long commit, boolean isKept) {
        if (!isKept && failed == 0) {
            failed = commit; // For who asks later: it stays failed, whatever comes behind it.
        }
        settled = commit;
        waiting.settle(commit, isKept);
    }
}
