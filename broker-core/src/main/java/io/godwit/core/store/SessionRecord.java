package io.godwit.core.store;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a durable session beside subscriptions and queue.
 *
 * @param generation id of the CONNECT that created it
 * @param expirySeconds 1..4 294 967 295 (never)
 * @param disconnectedAtMs epoch milliseconds, or 0 while connected
 */
public record SessionRecord(
        long queueId,
        long generation,
        ProtocolVersion version,
        long expirySeconds,
        long disconnectedAtMs,
        @Nullable Will will) {}
