package io.godwit.core.codec;

import static io.godwit.core.packet.Property.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Valid packets of every kind, as one side may receive them, from one seed. */
final class RandomPackets {
    private static final Property[] WILL_PROPERTIES = {
        PAYLOAD_FORMAT_INDICATOR,
        MESSAGE_EXPIRY_INTERVAL,
        CONTENT_TYPE,
        RESPONSE_TOPIC,
        CORRELATION_DATA
    };

    private static final PacketType[] TO_SERVER = {
        PacketType.CONNECT,
        PacketType.PUBLISH,
        PacketType.PUBLISH,
        PacketType.PUBACK,
        PacketType.PUBREC,
        PacketType.PUBREL,
        PacketType.PUBCOMP,
        PacketType.SUBSCRIBE,
        PacketType.UNSUBSCRIBE,
        PacketType.PINGREQ,
        PacketType.DISCONNECT,
        PacketType.AUTH
    };
    private static final PacketType[] TO_CLIENT = {
        PacketType.CONNACK,
        PacketType.PUBLISH,
        PacketType.PUBLISH,
        PacketType.PUBACK,
        PacketType.PUBREC,
        PacketType.PUBREL,
        PacketType.PUBCOMP,
        PacketType.SUBACK,
        PacketType.UNSUBACK,
        PacketType.PINGRESP,
        PacketType.DISCONNECT,
        PacketType.AUTH
    };

    private final SplittableRandom random;
    private final RandomText text;
    private final RandomProperties properties;

    RandomPackets(SplittableRandom random) {
        this(random, true);
    }

    RandomPackets(SplittableRandom random, boolean hasLong) {
        this.random = random;
        this.text = new RandomText(random, hasLong);
        this.properties = new RandomProperties(random, text);
    }

    /** Any packet that may come to this side. */
    Packet next(Role receiver, ProtocolVersion version) {
        PacketType[] types = receiver == Role.SERVER ? TO_SERVER : TO_CLIENT;
        while (true) {
            PacketType type = types[random.nextInt(types.length)];
            boolean isMissing =
                    !version.isV5()
                            && (type == PacketType.AUTH
                                    || (type == PacketType.DISCONNECT && receiver == Role.CLIENT));
            if (!isMissing) {
                return next(type, receiver, version);
            }
        }
    }

    Packet next(PacketType type, Role receiver, ProtocolVersion version) {
        boolean isV5 = version.isV5();
        return switch (type) {
            case CONNECT -> connect(version);
            case CONNACK -> connAck(version);
            case PUBLISH -> publish(receiver, isV5);
            case PUBACK, PUBREC ->
                    new Packet.Ack(
                            type,
                            packetId(),
                            reason(isV5, 0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99),
                            some(isV5, REASON_STRING));
            case PUBREL, PUBCOMP ->
                    new Packet.Ack(
                            type, packetId(), reason(isV5, 0x00, 0x92), some(isV5, REASON_STRING));
            case SUBSCRIBE -> subscribe(isV5);
            case SUBACK ->
                    new Packet.SubAck(
                            packetId(),
                            isV5
                                    ? codes(0, 1, 2, 0x80, 0x83, 0x87, 0x8F, 0x91, 0x97, 0x9E, 0xA2)
                                    : codes(0, 1, 2, 0x80),
                            some(isV5, REASON_STRING));
            case UNSUBSCRIBE -> unsubscribe(isV5);
            case UNSUBACK ->
                    new Packet.UnsubAck(
                            packetId(),
                            isV5 ? codes(0, 0x11, 0x80, 0x83, 0x87, 0x8F, 0x91) : new byte[0],
                            some(isV5, REASON_STRING));
            case PINGREQ -> Packet.PingReq.INSTANCE;
            case PINGRESP -> Packet.PingResp.INSTANCE;
            case DISCONNECT -> disconnect(receiver, isV5);
            case AUTH -> auth(receiver);
        };
    }

    private Packet connect(ProtocolVersion version) {
        boolean isV5 = version.isV5();
        boolean cleanStart = random.nextBoolean();
        ClientId clientId = new ClientId(text.string().getBytes(UTF_8));
        if (clientId.length() == 0
                && (version == ProtocolVersion.MQTT_3_1 || (!isV5 && !cleanStart))) {
            clientId = ClientId.of("c");
        }
        String userName = random.nextBoolean() ? text.string() : null;
        boolean hasPassword = random.nextBoolean() && (isV5 || userName != null);
        Properties all =
                some(
                        isV5,
                        SESSION_EXPIRY_INTERVAL,
                        REQUEST_PROBLEM_INFORMATION,
                        REQUEST_RESPONSE_INFORMATION,
                        RECEIVE_MAXIMUM,
                        TOPIC_ALIAS_MAXIMUM,
                        MAXIMUM_PACKET_SIZE,
                        AUTHENTICATION_METHOD);
        if (all.has(AUTHENTICATION_METHOD) && random.nextBoolean()) {
            Properties.Builder more = Properties.builder();
            properties.add(more, AUTHENTICATION_DATA);
            all = more.addAll(all).build();
        }
        return new Packet.Connect(
                version,
                clientId,
                cleanStart,
                random.nextInt(0x10000),
                random.nextBoolean() ? will(isV5) : null,
                userName,
                hasPassword ? text.bytes() : null,
                false,
                all);
    }

    private Will will(boolean isV5) {
        Properties all = some(isV5, WILL_PROPERTIES);
        boolean isText = all.number(PAYLOAD_FORMAT_INDICATOR, 0) == 1;
        return new Will(
                text.topic(),
                random.nextInt(3),
                random.nextBoolean(),
                isText ? text.string().getBytes(UTF_8) : text.bytes(),
                isV5 && random.nextBoolean() ? random.nextLong(1L << 32) : 0,
                all);
    }

    private Packet connAck(ProtocolVersion version) {
        boolean isV5 = version.isV5();
        boolean isSuccess = random.nextBoolean();
        int code =
                isV5
                        ? reason(true, 0x80, 0x81, 0x84, 0x85, 0x87, 0x8A, 0x8C, 0x95, 0x9D, 0x9F)
                                .code()
                        : 1 + random.nextInt(5);
        return new Packet.ConnAck(
                isSuccess && version != ProtocolVersion.MQTT_3_1 && random.nextBoolean(),
                isSuccess ? 0 : code,
                some(
                        isV5,
                        SESSION_EXPIRY_INTERVAL,
                        ASSIGNED_CLIENT_IDENTIFIER,
                        SERVER_KEEP_ALIVE,
                        AUTHENTICATION_METHOD,
                        AUTHENTICATION_DATA,
                        RESPONSE_INFORMATION,
                        SERVER_REFERENCE,
                        REASON_STRING,
                        RECEIVE_MAXIMUM,
                        TOPIC_ALIAS_MAXIMUM,
                        MAXIMUM_QOS,
                        RETAIN_AVAILABLE,
                        MAXIMUM_PACKET_SIZE,
                        WILDCARD_SUBSCRIPTION_AVAILABLE,
                        SUBSCRIPTION_IDENTIFIER_AVAILABLE,
                        SHARED_SUBSCRIPTION_AVAILABLE));
    }

    private Packet publish(Role receiver, boolean isV5) {
        int qos = random.nextInt(3);
        Properties all =
                some(
                        isV5,
                        PAYLOAD_FORMAT_INDICATOR,
                        MESSAGE_EXPIRY_INTERVAL,
                        CONTENT_TYPE,
                        RESPONSE_TOPIC,
                        CORRELATION_DATA,
                        TOPIC_ALIAS);
        if (isV5 && receiver == Role.CLIENT && random.nextBoolean()) {
            Properties.Builder more = Properties.builder();
            properties.add(more, SUBSCRIPTION_IDENTIFIER);
            more.addAll(all);
            properties.add(more, SUBSCRIPTION_IDENTIFIER);
            all = more.build();
        }
        boolean isAliased = all.has(TOPIC_ALIAS) && random.nextBoolean();
        return new Packet.Publish(
                isAliased ? null : text.topic(),
                qos,
                qos > 0 && random.nextBoolean(),
                random.nextBoolean(),
                qos == 0 ? 0 : packetId(),
                all,
                text.bytes());
    }

    private Packet subscribe(boolean isV5) {
        List<Packet.Subscription> subscriptions = new ArrayList<>();
        do {
            TopicFilter filter = text.filter();
            subscriptions.add(
                    new Packet.Subscription(
                            filter,
                            random.nextInt(3),
                            isV5 && !filter.isShared() && random.nextBoolean(),
                            isV5 && random.nextBoolean(),
                            isV5 ? random.nextInt(3) : 0));
        } while (random.nextInt(3) > 0);
        return new Packet.Subscribe(packetId(), subscriptions, some(isV5, SUBSCRIPTION_IDENTIFIER));
    }

    private Packet unsubscribe(boolean isV5) {
        List<TopicFilter> filters = new ArrayList<>();
        do {
            filters.add(text.filter());
        } while (random.nextInt(3) > 0);
        return new Packet.Unsubscribe(packetId(), filters, some(isV5));
    }

    private Packet disconnect(Role receiver, boolean isV5) {
        return receiver == Role.SERVER
                ? new Packet.Disconnect(
                        reason(isV5, 0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x99),
                        some(isV5, SESSION_EXPIRY_INTERVAL, REASON_STRING))
                : new Packet.Disconnect(
                        reason(isV5, 0x00, 0x80, 0x87, 0x89, 0x8B, 0x8D, 0x8E, 0x9A, 0x9D, 0xA2),
                        some(isV5, SERVER_REFERENCE, REASON_STRING));
    }

    private Packet auth(Role receiver) {
        Properties.Builder all = Properties.builder();
        properties.add(all, AUTHENTICATION_METHOD);
        all.addAll(properties.of(AUTHENTICATION_DATA, REASON_STRING));
        return receiver == Role.SERVER
                ? new Packet.Auth(reason(true, 0x18, 0x19), all.build())
                : new Packet.Auth(reason(true, 0x00, 0x18), all.build());
    }

    private int packetId() {
        return random.nextInt(5) == 0 ? 0xFFFF : 1 + random.nextInt(0xFFFF);
    }

    private Properties some(boolean isV5, Property... allowed) {
        return isV5 ? properties.of(allowed) : Properties.NONE;
    }

    private ReasonCode reason(boolean isV5, int... codes) {
        ReasonCode reason = ReasonCode.of(isV5 ? codes[random.nextInt(codes.length)] : 0);
        if (reason == null) {
            throw new IllegalStateException();
        }
        return reason;
    }

    private byte[] codes(int... legal) {
        byte[] codes = new byte[1 + random.nextInt(4)];
        for (int i = 0; i < codes.length; i++) {
            codes[i] = (byte) legal[random.nextInt(legal.length)];
        }
        return codes;
    }
}
