package io.godwit.core.takeover;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;

/**
 * A message that goes after its session, as the session's subscription has it.
 *
 * @param qos at which it goes out
 * @param retain whether the client is told that it was retained
 * @param ids subscription identifiers
 */
public record Forwarded(ClientId clientId, Message message, int qos, boolean retain, int[] ids) {
    /**
     * So many messages may be under way after one session, not answered; the next ones wait where
     * they come from.
     */
    public static final int UNANSWERED_MAX = 500;

    /** The same in bytes, as accounted; one message may go beyond. */
    public static final long UNANSWERED_BYTES_MAX = 256 << 10;
}
