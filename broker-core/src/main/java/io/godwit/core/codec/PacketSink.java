package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.PublishFrame;

/** Takes decoded packets, in the order of their bytes. It may throw {@link ProtocolViolation}. */
public interface PacketSink {
    /**
     * @param frame valid only during the call
     */
    void onPublish(PublishFrame frame);

    /**
     * PUBACK, PUBREC, PUBREL or PUBCOMP; its properties were checked and are dropped.
     *
     * @param reasonCode a reason code that the packet may carry; 0 in 3.x
     */
    void onAck(PacketType type, int packetId, int reasonCode);

    /** Whether the properties of acknowledgements are wanted, which are skipped otherwise. */
    default boolean wantsAckProperties() {
        return false;
    }

    /** Takes an acknowledgement that has properties, if they are wanted. */
    default void onAck(PacketType type, int packetId, int reasonCode, Properties properties) {
        onAck(type, packetId, reasonCode);
    }

    /** Every other packet. */
    void onPacket(Packet packet);

    /** Asked before each packet: false leaves it and what follows unread (closed, or paused). */
    boolean wantsMore();

    /** Asked before each PUBLISH: false leaves it and what follows unread. */
    default boolean wantsPublish() {
        return true;
    }
}
