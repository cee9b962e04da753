package io.godwit.core.settings;

/**
 * Bounds of durable queues ({@code queues.*}); transient sessions have those of {@link
 * LimitSettings}.
 *
 * @param messages QoS 1/2 messages that wait in one queue, in-flight ones not counted
 * @param bytes bytes of those messages
 * @param policy what happens when one of these two is reached
 * @param nodeMessages messages that wait in all durable queues of the node; above it publishers
 *     wait and nothing is discarded
 * @param nodeBytes bytes of those messages
 * @param pageMessages messages read back from rows at a time
 */
public record QueueSettings(
        long messages,
        long bytes,
        QueuePolicy policy,
        long nodeMessages,
        long nodeBytes,
        int pageMessages) {
    public static final QueueSettings DEFAULTS =
            new QueueSettings(
                    1_000_000, 1L << 30, QueuePolicy.DISCARD_NEWEST, 100_000_000, 100L << 30, 100);
}
