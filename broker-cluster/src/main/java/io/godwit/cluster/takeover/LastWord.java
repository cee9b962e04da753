package io.godwit.cluster.takeover;

/**
 * What comes before a former home of a session is told that it may let go of what it keeps, and
 * before the new one forgets what has come.
 */
public interface LastWord {
    /**
     * Runs a task once no node has anything on its way there that was sent before now, and that the
     * node has not handled. What is not answered either is sent again to another start of it.
     *
     * @param what it is: asked for again before that, it is done once
     */
    void whenClear(int server, Object what, Runnable task);

    /** The same once everything that was sent there before now is answered. */
    void whenAnswered(int server, Object what, Runnable task);
}
