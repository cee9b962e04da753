package io.godwit.core.auth;

import org.jspecify.annotations.Nullable;

/** Holds what extensions have set up for one connection, beside what its identity grants. */
public interface ConnectionSetup {
    /**
     * Returns the rules of its client; null: it has none of its own. They change only as {@code
     * ConnectionSetups.Connection} says. For the thread of the connection's shard.
     */
    @Nullable AccessControl access();

    /** Forgets the connection, which has ended. Calling it twice does nothing. */
    void ended();
}
