package io.godwit.core.packet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT control packet as a value. An illegal packet cannot be built. The message path does not
 * use {@link Publish} and the four acknowledgements: see {@link PublishFrame} and {@code
 * PacketSink.onAck}.
 */
public sealed interface Packet {
    PacketType type();

    /**
     * @param clientId empty: the server assigns one
     * @param cleanStart Clean Session in 3.x
     * @param keepAliveSeconds 0..65 535; 0 = off
     */
    record Connect(
            ProtocolVersion version,
            ClientId clientId,
            boolean cleanStart,
            int keepAliveSeconds,
            @Nullable Will will,
            @Nullable String userName,
            byte @Nullable [] password,
            boolean bridge,
            Properties properties)
            implements Packet {
        /** About how many bytes its texts take in memory. */
        public long accountedBytes() {
            return clientId.length()
                    + (will == null ? 0 : will.accountedBytes())
                    + (userName == null ? 0 : userName.length())
                    + (password == null ? 0 : password.length)
                    + properties.accountedBytes();
        }

        /** Returns it with another user name, or none. */
        public Connect withUserName(@Nullable String name) {
            return new Connect(
                    version,
                    clientId,
                    cleanStart,
                    keepAliveSeconds,
                    will,
                    name,
                    password,
                    bridge,
                    properties);
        }

        /** Returns it with the client id that counts. */
        public Connect withClientId(ClientId id) {
            return new Connect(
                    version,
                    id,
                    cleanStart,
                    keepAliveSeconds,
                    will,
                    userName,
                    password,
                    bridge,
                    properties);
        }

        /** Who it is from, without what is large or secret: will, password and properties. */
        public Connect sender() {
            return new Connect(
                    version,
                    clientId,
                    cleanStart,
                    keepAliveSeconds,
                    null,
                    userName,
                    null,
                    bridge,
                    Properties.NONE);
        }

        @Override
        public PacketType type() {
            return PacketType.CONNECT;
        }
    }

    /**
     * @param code the byte on the wire: a reason code in 5.0, a return code 0..5 in 3.x
     */
    record ConnAck(boolean sessionPresent, int code, Properties properties) implements Packet {
        @Override
        public PacketType type() {
            return PacketType.CONNACK;
        }
    }

    /**
     * @param packetId 1..65 535 for QoS 1 and 2, else 0
     * @param topic null when a Topic Alias stands for it
     * @param payload never changed by anyone
     */
    record Publish(
            @Nullable Topic topic,
            int qos,
            boolean dup,
            boolean retain,
            int packetId,
            Properties properties,
            byte[] payload)
            implements Packet {
        public Publish {
            if (qos == 0 ? packetId != 0 || dup : packetId < 1 || packetId > 0xFFFF) {
                throw new IllegalArgumentException("qos " + qos + ", packetId " + packetId);
            }
        }

        @Override
        public PacketType type() {
            return PacketType.PUBLISH;
        }
    }

    /**
     * PUBACK, PUBREC, PUBREL or PUBCOMP.
     *
     * @param packetId 1..65 535
     * @param reason SUCCESS in 3.x
     */
    record Ack(PacketType type, int packetId, ReasonCode reason, Properties properties)
            implements Packet {
        public Ack {
            requirePacketId(packetId);
        }
    }

    record Subscribe(
            int packetId,
            List<Subscription> subscriptions,
            int filtersBeyond,
            Properties properties)
            implements Packet {
        public Subscribe {
            requirePacketId(packetId);
            subscriptions = List.copyOf(subscriptions);
        }

        public Subscribe(int packetId, List<Subscription> subscriptions, Properties properties) {
            this(packetId, subscriptions, 0, properties);
        }

        @Override
        public PacketType type() {
            return PacketType.SUBSCRIBE;
        }
    }

    /**
     * One filter of a SUBSCRIBE with its options; 3.x has only the QoS.
     *
     * @param retainHandling 0 send retained, 1 only when new, 2 never
     */
    record Subscription(
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int retainHandling) {
        /** The options as the byte of 3.8.3.1. */
        public int options() {
            return qos | (noLocal ? 4 : 0) | (retainAsPublished ? 8 : 0) | retainHandling << 4;
        }
    }

    /**
     * @param codes one byte for each filter: granted QoS, or 0x80 and above
     */
    record SubAck(int packetId, byte[] codes, Properties properties) implements Packet {
        public SubAck {
            requirePacketId(packetId);
        }

        @Override
        public PacketType type() {
            return PacketType.SUBACK;
        }
    }

    record Unsubscribe(int packetId, List<TopicFilter> filters, Properties properties)
            implements Packet {
        public Unsubscribe {
            requirePacketId(packetId);
            filters = List.copyOf(filters);
        }

        @Override
        public PacketType type() {
            return PacketType.UNSUBSCRIBE;
        }
    }

    /**
     * @param codes one byte for each filter in 5.0; none in 3.x
     */
    record UnsubAck(int packetId, byte[] codes, Properties properties) implements Packet {
        public UnsubAck {
            requirePacketId(packetId);
        }

        @Override
        public PacketType type() {
            return PacketType.UNSUBACK;
        }
    }

    record PingReq() implements Packet {
        public static final PingReq INSTANCE = new PingReq();

        @Override
        public PacketType type() {
            return PacketType.PINGREQ;
        }
    }

    record PingResp() implements Packet {
        public static final PingResp INSTANCE = new PingResp();

        @Override
        public PacketType type() {
            return PacketType.PINGRESP;
        }
    }

    record Disconnect(ReasonCode reason, Properties properties) implements Packet {
        @Override
        public PacketType type() {
            return PacketType.DISCONNECT;
        }
    }

    record Auth(ReasonCode reason, Properties properties) implements Packet {
        @Override
        public PacketType type() {
            return PacketType.AUTH;
        }
    }

    private static void requirePacketId(int packetId) {
        if (packetId < 1 || packetId > 0xFFFF) {
            throw new IllegalArgumentException("packetId " + packetId);
        }
    }
}
