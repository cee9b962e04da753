package io.godwit.core.store;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a durable session beside subscriptions and queue. Of two records of one client id
 * that were written at different nodes the one with the later stamp counts.
 *
 * @param generation id of the CONNECT that created the session
 * @param stamp id of the CONNECT or disconnect that this record says
 * @param epoch of the home that wrote it
 * @param expirySeconds 1..4 294 967 295 (never); 0 of one that is kept for its will only
 * @param disconnectedAtMs epoch milliseconds, or 0 while connected
 * @param will what is to be published when the client is lost; null when nothing
 * @param willIngress given at CONNECT; null when there is no will
 */
public record SessionRecord(
        long queueId,
        HybridId generation,
        HybridId stamp,
        Epoch epoch,
        ProtocolVersion version,
        long expirySeconds,
        long disconnectedAtMs,
        @Nullable Will will,
        @Nullable IngressId willIngress) {
    public SessionRecord {
        if ((will == null) != (willIngress == null)) {
            throw new IllegalArgumentException("a will has an ingress id");
        }
    }

    /** Server id of the home that wrote it. */
    public int home() {
        return epoch.server();
    }
}
