package io.godwit.core.session;

/**
 * What a queue has discarded since the node started, by cause.
 *
 * @param queueFull discarded or refused: a limit was reached
 * @param expired their expiry interval had passed
 * @param tooLarge above the client's Maximum Packet Size
 */
public record Discards(long queueFull, long expired, long tooLarge) {
    static final Discards NONE = new Discards(0, 0, 0);
}
