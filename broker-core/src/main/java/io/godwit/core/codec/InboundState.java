package io.godwit.core.codec;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * What a connection's decoding needs from one packet to the next; small, since every idle client
 * has one.
 */
public final class InboundState {
    /**
     * Null until CONNECT (a server) was read. Set by the decoder on CONNECT; a client sets it
     * itself.
     */
    public @Nullable ProtocolVersion version;

    /** Bytes of a whole packet, fixed header included; more is PACKET_TOO_LARGE. */
    public int packetBytesMax;

    /** The topic of the last PUBLISH: most publishers name the same one again. */
    public @Nullable Topic lastTopic;

    public InboundState(int packetBytesMax) {
        this.packetBytesMax = packetBytesMax;
    }
}
