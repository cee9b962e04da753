package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Takes decoded packets as values in {@link #normal} form. */
public final class RecordingSink implements PacketSink {
    public final List<Packet> packets = new ArrayList<>();

    /** Whether acknowledgements keep their properties. */
    public boolean keepsAckProperties;

    /** Wants no more once so many are there. */
    int packetsMax = Integer.MAX_VALUE;

    @Override
    public void onPublish(PublishFrame frame) {
        Properties.Builder all = Properties.builder();
        if (frame.topicAlias != 0) {
            all.add(Property.TOPIC_ALIAS, frame.topicAlias);
        }
        if (frame.expirySeconds >= 0) {
            all.add(Property.MESSAGE_EXPIRY_INTERVAL, frame.expirySeconds);
        }
        if (frame.subscriptionIds != null) {
            for (int id : frame.subscriptionIds) {
                all.add(Property.SUBSCRIPTION_IDENTIFIER, id);
            }
        }
        Properties forwarded = forwarded(frame.forwardedProperties);
        if (frame.payloadIsText != (forwarded.number(Property.PAYLOAD_FORMAT_INDICATOR, 0) == 1)) {
            throw new AssertionError("payloadIsText differs from " + forwarded);
        }
        packets.add(
                new Packet.Publish(
                        frame.topic,
                        frame.qos,
                        frame.dup,
                        frame.retain,
                        frame.packetId,
                        all.addAll(forwarded).build(),
                        frame.copyPayload()));
    }

    @Override
    public boolean wantsAckProperties() {
        return keepsAckProperties;
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode) {
        onAck(type, packetId, reasonCode, Properties.NONE);
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode, Properties properties) {
        ReasonCode reason = ReasonCode.of(reasonCode);
        if (reason == null) {
            throw new AssertionError("reason code " + reasonCode);
        }
        packets.add(new Packet.Ack(type, packetId, reason, properties));
    }

    @Override
    public void onPacket(Packet packet) {
        packets.add(packet);
    }

    @Override
    public boolean wantsMore() {
        return packets.size() < packetsMax;
    }

    /**
     * The packet as the decoder's sink can tell it: acknowledgements without properties, those of
     * PUBLISH with alias, expiry and identifiers first.
     */
    static Packet normal(Packet packet) {
        if (packet instanceof Packet.Ack ack) {
            return new Packet.Ack(ack.type(), ack.packetId(), ack.reason(), Properties.NONE);
        }
        if (!(packet instanceof Packet.Publish publish)) {
            return packet;
        }
        Properties given = publish.properties();
        Properties.Builder sorted = Properties.builder();
        copy(given, sorted, Property.TOPIC_ALIAS);
        copy(given, sorted, Property.MESSAGE_EXPIRY_INTERVAL);
        copy(given, sorted, Property.SUBSCRIPTION_IDENTIFIER);
        Properties rest =
                given.without(Property.TOPIC_ALIAS)
                        .without(Property.MESSAGE_EXPIRY_INTERVAL)
                        .without(Property.SUBSCRIPTION_IDENTIFIER);
        return new Packet.Publish(
                publish.topic(),
                publish.qos(),
                publish.dup(),
                publish.retain(),
                publish.packetId(),
                sorted.addAll(rest).build(),
                publish.payload());
    }

    private static void copy(Properties from, Properties.Builder to, Property property) {
        for (int i = 0; i < from.size(); i++) {
            if (from.key(i) == property) {
                to.add(property, (Long) from.value(i));
            }
        }
    }

    private static Properties forwarded(byte[] bytes) {
        var buffer = Unpooled.buffer();
        VarInt.write(buffer, bytes.length);
        buffer.writeBytes(bytes);
        PacketReader reader = new PacketReader();
        reader.open(buffer, 0, buffer.writerIndex());
        return PropertiesDecoder.decode(reader, PropertyScope.PUBLISH);
    }
}
