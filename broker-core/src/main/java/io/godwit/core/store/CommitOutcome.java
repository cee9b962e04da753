package io.godwit.core.store;

/** How commits ended. */
public interface CommitOutcome {
    /** Every commit up to this one is as durable as the store promises. */
    void onCommitted(long commit);

    /** This commit is not durable and never will be. */
    void onFailed(long commit, Throwable cause);
}
