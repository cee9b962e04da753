package io.godwit.core.store;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ProtocolVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a durable session that is kept beside subscriptions and queue; also of any session
 * that owes a will. A store may have several records of one client id: all but one are set aside,
 * or over.
 *
 * @param generation id of the CONNECT that created the session
 * @param stamp id of the CONNECT or disconnect that this record says
 * @param epoch of the queue's leader that wrote it: this node, in one of its starts, or the node
 *     that a copy or an import came from
 * @param expirySeconds 1..4 294 967 295 (never), or 0 when it is kept for its wills only
 * @param disconnectedAtMs epoch milliseconds, or 0 while connected
 * @param will of the connection, or of the last one while its delay runs; null when there is none
 * @param owedWills of earlier connections: published, or to be published now, and not taken in by
 *     everyone; in the order in which they were due
 * @param isAside whether it serves nobody, since another node leads its slot with sessions of its
 *     own
 * @param owner name of the user whose session it is; null: nobody's
 */
public record SessionRecord(
        long queueId,
        HybridId generation,
        HybridId stamp,
        Epoch epoch,
        ProtocolVersion version,
        long expirySeconds,
        long disconnectedAtMs,
        @Nullable KeptWill will,
        List<KeptWill> owedWills,
        boolean isAside,
        @Nullable String owner) {
    public SessionRecord {
        owedWills = List.copyOf(owedWills);
    }

    /** Of a session that is not set aside, and nobody's. */
    public SessionRecord(
            long queueId,
            HybridId generation,
            HybridId stamp,
            Epoch epoch,
            ProtocolVersion version,
            long expirySeconds,
            long disconnectedAtMs,
            @Nullable KeptWill will,
            List<KeptWill> owedWills) {
        this(
                queueId,
                generation,
                stamp,
                epoch,
                version,
                expirySeconds,
                disconnectedAtMs,
                will,
                owedWills,
                false,
                null);
    }

    /**
     * Whether the session has ended and this is left of it for its wills. Its client id may have
     * another session by now.
     */
    public boolean isOver() {
        return expirySeconds == 0 && disconnectedAtMs != 0;
    }
}
