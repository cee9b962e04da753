package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.ShardStore;
import org.jspecify.annotations.Nullable;

/** The session of a client that publishes. */
public interface PublisherSession {
    ClientId clientId();

    /** 0 when nothing of it is kept. */
    long queueId();

    boolean isDurable();

    boolean isEnded();

    /** The store of the shard that owns it now. */
    ShardStore store();

    /** QoS 1 and 2 messages that were sent to the client and are not acknowledged. */
    int inFlightCount();

    /** With soft limit 0: whether someone it publishes to is behind. */
    boolean hasSlowSubscribers();

    /** The QoS 2 PUBLISH under this packet id whose PUBREL has not come, or null. */
    @Nullable Receipt inboundQos2(int packetId);

    /**
     * A QoS 2 PUBLISH came.
     *
     * @param again what the restart has found of it; it is with the store already
     */
    Receipt putInboundQos2(
            PublisherLink from, int packetId, long ingressCounter, @Nullable InboundReceipt again);

    /**
     * Forgets the QoS 2 PUBLISH of a packet id.
     *
     * @return whether there was one
     */
    boolean removeInboundQos2(int packetId);
}
