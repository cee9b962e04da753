package io.godwit.core.queue;

/** Links an entry of a session's queue to the shared group that it came from; in memory only. */
public interface GroupLink {
    /**
     * Whether the message stands in the group's queue until the client acknowledges it. One that
     * was handed over stands in the session's own, and the group only counts it.
     */
    boolean staysWithGroup();
}
