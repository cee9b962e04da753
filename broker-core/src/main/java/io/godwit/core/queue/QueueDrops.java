package io.godwit.core.queue;

/**
 * What a queue has discarded since the node started, by cause.
 *
 * @param queueFull discarded or refused: a limit was reached
 * @param expired their expiry interval had passed
 * @param tooLarge above the client's Maximum Packet Size
 */
public record QueueDrops(long queueFull, long expired, long tooLarge) {
    public static final QueueDrops NONE = new QueueDrops(0, 0, 0);
}
