package io.godwit.core.store;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a durable session beside subscriptions and queue, or of any session that owes a
 * will.
 *
 * @param generation id of the CONNECT that created it
 * @param expirySeconds 1..4 294 967 295 (never), or 0 when it is kept for its wills only
 * @param disconnectedAtMs epoch milliseconds, or 0 while connected
 * @param will of the connection, or of the last one while its delay runs
 * @param owedWills of earlier connections: published, or to be published now, and not taken in by
 *     everyone; in the order in which they were due
 */
public record SessionRecord(
        long queueId,
        long generation,
        ProtocolVersion version,
        long expirySeconds,
        long disconnectedAtMs,
        @Nullable Will will,
        List<Will> owedWills) {
    public SessionRecord {
        owedWills = List.copyOf(owedWills);
    }

    /** One that owes nothing. */
    public SessionRecord(
            long queueId,
            long generation,
            ProtocolVersion version,
            long expirySeconds,
            long disconnectedAtMs,
            @Nullable Will will) {
        this(queueId, generation, version, expirySeconds, disconnectedAtMs, will, List.of());
    }

    /**
     * Whether the session has ended and this is left of it for its wills. Its client id may have
     * another session by now.
     */
    public boolean isOver() {
        return expirySeconds == 0 && disconnectedAtMs != 0;
    }
}
