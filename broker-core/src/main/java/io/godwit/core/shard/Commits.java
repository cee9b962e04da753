package io.godwit.core.shard;

import io.godwit.core.store.CommitWaiter;

/** Lets its callers wait for the store. */
public interface Commits {
    /** Calls the waiter when everything that was gathered so far is committed; at once if it is. */
    void afterCommit(CommitWaiter waiter);
}
