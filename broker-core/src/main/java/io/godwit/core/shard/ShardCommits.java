package io.godwit.core.shard;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.ShardStore;
import java.util.ArrayDeque;

/**
 * The commits of one shard: closes the open one at the end of a turn, and tells who waits when the
 * store has it, or never will. Where queues have copies at other nodes, a commit counts for the
 * queues of a copy set when the followers of the set have confirmed it, too.
 */
final class ShardCommits implements Commits {
    /** What is this node's alone. */
    private static final int HERE = CopySets.NONE;

    private final ShardStore store;
    private final Confirmations confirmations;
    private final boolean waitsForStore;
    private final Runnable assertInside;

    /** By copy set; without copies there is the first one alone. */
    private final SetCommits[] sets;

    /** Holds the waiters for all copy sets, in the order in which they came. */
    private final ArrayDeque<OfAllSets> ofAllSets = new ArrayDeque<>(0);

    private boolean tellsOfAllSets;
    private boolean isClosing;

    /** Number of the last commit whose outcome is known. */
    private long settled;

    /** Number of the first commit that failed; 0: none did. */
    private long failed;

    /**
     * @param assertInside throws when another thread than the shard's calls it
     */
    ShardCommits(
            ShardStore store, Confirmations confirmations, Rules rules, Runnable assertInside) {
        this.store = store;
        this.confirmations = confirmations;
        this.waitsForStore = rules.holds(Rule.WAIT_FOR_STORE);
        this.assertInside = assertInside;
        this.sets = new SetCommits[confirmations == Confirmations.NONE ? 1 : CopySets.LAST + 1];
        for (int set = 0; set < sets.length; set++) {
            sets[set] = new SetCommits();
        }
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
        if (sets.length == 1) {
            after(HERE, lastClosedOrOpen(), waiter);
            return;
        }
        OfAllSets all = new OfAllSets(waiter);
        ofAllSets.add(all);
        for (int set = HERE + 1; set < sets.length; set++) {
            if (store.lastCommit(set) > sets[set].settled) {
                all.missing++;
                after(set, store.lastCommit(set), all);
            }
        }
        after(HERE, lastClosedOrOpen(), all);
    }

    private long lastClosedOrOpen() {
        return store.isDirty() ? store.openCommit() : store.openCommit() - 1;
    }

    /** Waits for the queues of all copy sets that something was gathered of. */
    private final class OfAllSets implements CommitWaiter {
        private final CommitWaiter waiter;
        private int missing = 1;
        private boolean areKept = true;

        OfAllSets(CommitWaiter waiter) {
            this.waiter = waiter;
        }

        @Override
        public void onCommit(boolean isKept) {
            areKept &= isKept;
            if (--missing == 0) {
                tellOfAllSets();
            }
        }
    }

    /** Tells the waiters whose copy sets are settled, in the order in which they came. */
    private void tellOfAllSets() {
        if (tellsOfAllSets) {
            return;
        }
        tellsOfAllSets = true;
        try {
            OfAllSets first;
            while ((first = ofAllSets.peek()) != null && first.missing == 0) {
                ofAllSets.remove();
                first.waiter.onCommit(first.areKept);
            }
        } finally {
            tellsOfAllSets = false;
        }
    }

    @Override
    public void afterCommitHere(CommitWaiter waiter) {
        after(HERE, lastClosedOrOpen(), waiter);
    }

    @Override
    public void afterCommit(int copySet, CommitWaiter waiter) {
        after(sets.length == 1 ? HERE : copySet, store.lastCommit(copySet), waiter);
    }

    private void after(int set, long commit, CommitWaiter waiter) {
        assertInside.run();
        if (!waitsForStore) {
            waiter.onCommit(true);
            return;
        }
        SetCommits of = sets[set];
        if (commit > of.settled) {
            of.waiting.add(commit, waiter);
        } else if (of.waiting.areLeft(commit)) {
            // One of them is being told, and has asked this; those behind it came before.
            of.waiting.add(commit, isKept -> waiter.onCommit(failed == 0));
        } else {
            // Nothing is added to it: it is about what was gathered before, and if any of that has
            // failed not all is committed, and never will be.
            waiter.onCommit(failed == 0);
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

    /**
     * Takes the outcome of a commit; called in the order of the commits.
     *
     * @param position of the journal up to which the store has written
     */
    void settle(long commit, long position, boolean isKept) {
        if (!isKept && failed == 0) {
            failed = commit; // For who asks later: it stays failed, whatever comes behind it.
        }
        settled = commit;
        sets[HERE].settle(commit, isKept);
        for (int set = HERE + 1; set < sets.length; set++) {
            SetCommits of = sets[set];
            of.written(commit, position);
            if (!isKept) {
                of.settle(commit, false);
            } else {
                look(set);
            }
        }
    }

    /** Looks what followers have confirmed meanwhile. */
    void onConfirmed() {
        for (int set = HERE + 1; set < sets.length; set++) {
            look(set);
        }
    }

    private void look(int set) {
        SetCommits of = sets[set];
        long commit = 0;
        while (!of.unconfirmed.isEmpty()
                && confirmations.has(set, of.unconfirmed.peekFirst().position())) {
            commit = of.unconfirmed.removeFirst().commit();
        }
        if (commit > of.settled) {
            of.settle(commit, true);
        }
    }

    /** Whether queues may have copies at other nodes. */
    boolean hasCopies() {
        return sets.length > 1;
    }

    /** Whether anything waits for followers. */
    boolean awaitsFollowers() {
        for (int set = HERE + 1; set < sets.length; set++) {
            if (!sets[set].unconfirmed.isEmpty()) {
                return true;
            }
        }
        return false;
    }
}
