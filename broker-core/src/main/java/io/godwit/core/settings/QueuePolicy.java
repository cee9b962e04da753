package io.godwit.core.settings;

/** What happens to a message for a queue that is full. */
public enum QueuePolicy {
    /** The new message is discarded, and acknowledged. */
    DISCARD_NEWEST,

    /** The oldest that waits is discarded. */
    DISCARD_OLDEST,

    /** The new message is refused: 5.0 publishers get 0x97; older ones are acknowledged. */
    REJECT
}
