package io.godwit.cluster.takeover;

/**
 * What comes before a former home of a session is told that it may let go of what it keeps, and
 * before the new one forgets what has come.
 */
public interface LastWord {
    /**
     * Runs a task once no node has anything on its way there that was sent before now.
     *
     * @param what it is: asked for again before that, it is done once
     */
    void whenClear(int server, Object what, Runnable task);
}
