package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * What a connection's decoding needs from one packet to the next; small, since every idle client
 * has one.
 */
public final class InboundState {
    /**
     * The protocol version of the connection. A client sets it itself. On a server it is null until
     * the decoder has read protocol name and level of CONNECT; also set when that CONNECT is then
     * refused, so that it tells in which version to answer. Stays null, which means to close
     * without an answer, when what came is not MQTT. With an unknown level
     * (UNSUPPORTED_PROTOCOL_VERSION) it is the nearest version whose CONNACK the client can be
     * expected to read.
     */
    public @Nullable ProtocolVersion version;

    /**
     * Whether the client has said in CONNECT that it is a bridge, see {@link BridgeLevel}. Set with
     * {@link #version} and never cleared.
     */
    boolean isBridge;

    /** Bytes that a whole packet may have, fixed header included; more is PACKET_TOO_LARGE. */
    public int packetBytesMax;

    /** Maximum Packet Size of a client; known before the rest of its CONNECT is judged. */
    public int answerBytesMax = Integer.MAX_VALUE;

    /** The topic of the last PUBLISH: most publishers name the same one again. */
    public @Nullable Topic lastTopic;

    public InboundState(int packetBytesMax) {
        this.packetBytesMax = packetBytesMax;
    }

    /** Sets what decoding a CONNECT sets: another node has decoded this one. */
    public void setFrom(Packet.Connect connect) {
        version = connect.version();
        isBridge = connect.bridge();
        answerBytesMax = answerBytesMax(connect.properties());
    }

    /** Maximum Packet Size as the properties of a CONNECT have it. */
    static int answerBytesMax(Properties ofConnect) {
        return (int)
                Math.min(
                        ofConnect.number(Property.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE),
                        Integer.MAX_VALUE);
    }
}
