package io.godwit.server.extension.call;

import org.jspecify.annotations.Nullable;

/** The threads that run the calls of one extension. */
interface CallThreads {
    /** Returns what runs calls in the thread that asks; null: it is none that can take another. */
    @Nullable Runner own();

    /** Has a call run that waits. Any thread; does not block. */
    void wake();

    /**
     * Puts a thread in the place of one that is stuck.
     *
     * @param stuck how many there are
     * @return false: there may be no more, the extension has failed
     */
    boolean replace(int stuck);

    /** Whether all threads of before are stuck. */
    boolean areAllStuck(int stuck);

    /** Ends the threads: those that are idle at once, the others behind their call. */
    void close();
}
