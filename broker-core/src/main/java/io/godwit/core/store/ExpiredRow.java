package io.godwit.core.store;

/**
 * An idle row whose Message Expiry Interval has passed.
 *
 * @param messageId clock of its message id
 * @param server of its message id
 * @param bytes {@link io.godwit.core.message.QueuedMessage#bytes}
 */
public record ExpiredRow(long messageId, int server, int bytes) {}
