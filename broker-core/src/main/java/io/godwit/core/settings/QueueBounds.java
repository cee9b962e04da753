package io.godwit.core.settings;

import org.jspecify.annotations.Nullable;

/**
 * Bounds of the queue of one client's session in place of the node's.
 *
 * @param messages QoS 1/2 messages that wait, in-flight ones not counted; 0: as the node has it
 * @param bytes bytes of those messages; 0: as the node has it
 * @param policy what happens when one of the two is reached, if the session is durable; null: as
 *     the node has it
 */
public record QueueBounds(long messages, long bytes, @Nullable QueuePolicy policy) {
    /** All bounds are the node's. */
    public static final QueueBounds NODE = new QueueBounds(0, 0, null);

    public QueueBounds {
        if (messages < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "a queue of " + messages + " messages and " + bytes + " B");
        }
    }
}
