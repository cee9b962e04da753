package io.godwit.core.shard;

import io.godwit.core.store.CommitWaiter;

/** Lets its callers wait for the store, and for the copies of what it keeps at other nodes. */
public interface Commits {
    /**
     * Calls the waiter when everything that was gathered so far is committed, and confirmed by the
     * followers of all copy sets that it is of; at once if it is.
     */
    void afterCommit(CommitWaiter waiter);

    /**
     * Calls the waiter when everything that was gathered so far of one copy set is committed, and
     * confirmed by the followers of this set: those of others hold nobody up.
     *
     * @param copySet see {@link io.godwit.core.store.CopySets}
     */
    void afterCommit(int copySet, CommitWaiter waiter);

    /**
     * Calls the waiter when everything that was gathered so far is committed at this node: for what
     * has no copies, like retained messages, and what a follower confirms.
     */
    void afterCommitHere(CommitWaiter waiter);
}
