package io.godwit.core.store;

/**
 * Something that was promised and waits for a commit: called on the shard's thread, exactly once.
 */
public interface CommitWaiter {
    /**
     * @param isKept false when the commit failed: nothing may be acknowledged on it
     */
    void onCommit(boolean isKept);
}
