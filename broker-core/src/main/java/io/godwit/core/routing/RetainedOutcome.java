package io.godwit.core.routing;

/** What became of a message that was put into the {@link RetainedStore}. */
public enum RetainedOutcome {
    ADDED,
    REPLACED,
    /** It has no payload and deleted the topic's message. */
    REMOVED,
    /** It has no payload and there was no message. */
    NOTHING_TO_REMOVE,
    /**
     * It would exceed {@code limits.retained-*}; the topic has no retained message now, since a
     * value that is out of date is worse than none.
     */
    REFUSED
}
