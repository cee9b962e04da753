package io.godwit.extension.intercept;

import io.godwit.extension.Preview;
import io.godwit.extension.packet.AckPacket;
import io.godwit.extension.packet.AuthPacket;
import io.godwit.extension.packet.ConnAckPacket;
import io.godwit.extension.packet.DisconnectPacket;
import io.godwit.extension.packet.PingPacket;
import io.godwit.extension.packet.SubAckPacket;
import io.godwit.extension.packet.UnsubAckPacket;

/**
 * Names where a {@link PacketInterceptor} sees packets: those of one type, in one direction. IN is
 * from the client, OUT to it. Where it says that nothing may be changed, only {@link
 * Interception#unchanged} is an answer; what a client sends counts there without it.
 *
 * @param <P> the packet
 */
@Preview
public final class PacketPoint<P> {
    /**
     * CONNACK: reason, Response Information, Server Reference and User Properties may be changed; a
     * refusal stays one. Nothing else goes out before it.
     */
    public static final PacketPoint<ConnAckPacket> CONNACK = new PacketPoint<>("CONNACK");

    /**
     * SUBACK: codes, Reason String and User Properties may be changed; what is granted stays
     * granted, and what is refused refused.
     */
    public static final PacketPoint<SubAckPacket> SUBACK = new PacketPoint<>("SUBACK");

    /** UNSUBACK: as {@link #SUBACK}. */
    public static final PacketPoint<UnsubAckPacket> UNSUBACK = new PacketPoint<>("UNSUBACK");

    /** PUBACK of a client: nothing may be changed. */
    public static final PacketPoint<AckPacket> PUBACK_IN = new PacketPoint<>("PUBACK_IN");

    /**
     * PUBACK to a client: reason and User Properties may be changed; a success stays one, and a
     * refusal, too.
     */
    public static final PacketPoint<AckPacket> PUBACK_OUT = new PacketPoint<>("PUBACK_OUT");

    /** PUBREC of a client: nothing may be changed. */
    public static final PacketPoint<AckPacket> PUBREC_IN = new PacketPoint<>("PUBREC_IN");

    /** PUBREC to a client: as {@link #PUBACK_OUT}. */
    public static final PacketPoint<AckPacket> PUBREC_OUT = new PacketPoint<>("PUBREC_OUT");

    /** PUBREL of a client: nothing may be changed. */
    public static final PacketPoint<AckPacket> PUBREL_IN = new PacketPoint<>("PUBREL_IN");

    /** PUBREL to a client: as {@link #PUBACK_OUT}. */
    public static final PacketPoint<AckPacket> PUBREL_OUT = new PacketPoint<>("PUBREL_OUT");

    /** PUBCOMP of a client: nothing may be changed. */
    public static final PacketPoint<AckPacket> PUBCOMP_IN = new PacketPoint<>("PUBCOMP_IN");

    /** PUBCOMP to a client: as {@link #PUBACK_OUT}. */
    public static final PacketPoint<AckPacket> PUBCOMP_OUT = new PacketPoint<>("PUBCOMP_OUT");

    /** PINGREQ: nothing may be changed. */
    public static final PacketPoint<PingPacket> PINGREQ = new PacketPoint<>("PINGREQ");

    /** PINGRESP: nothing may be changed; it goes out behind the answer. */
    public static final PacketPoint<PingPacket> PINGRESP = new PacketPoint<>("PINGRESP");

    /**
     * DISCONNECT of an MQTT 5.0 client: the session expiry may be changed. The connection has ended
     * by then; another expiry counts from the answer on, unless the session has ended with the
     * connection, or the client has come back.
     */
    public static final PacketPoint<DisconnectPacket> DISCONNECT_IN =
            new PacketPoint<>("DISCONNECT_IN");

    /**
     * DISCONNECT to a client: reason, Server Reference and User Properties may be changed. The
     * connection has ended by then; it is closed behind the answer. Not shown when the broker
     * stops.
     */
    public static final PacketPoint<DisconnectPacket> DISCONNECT_OUT =
            new PacketPoint<>("DISCONNECT_OUT");

    /** AUTH of a client: Authentication Data may be changed. */
    public static final PacketPoint<AuthPacket> AUTH_IN = new PacketPoint<>("AUTH_IN");

    /** AUTH to a client: Authentication Data, Reason String and User Properties may be changed. */
    public static final PacketPoint<AuthPacket> AUTH_OUT = new PacketPoint<>("AUTH_OUT");

    private final String name;

    private PacketPoint(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
