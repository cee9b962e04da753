package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Any valid packet comes back as it was, in one piece or in many. */
class PacketRoundTripTest {
    private static final int PACKETS = 4_000;
    private static final int EVERY_SPLIT_UP_TO = 120;

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "SERVER, MQTT_3_1", "SERVER, MQTT_3_1_1", "SERVER, MQTT_5",
        "CLIENT, MQTT_3_1", "CLIENT, MQTT_3_1_1", "CLIENT, MQTT_5"
    })
    void any_packet_comes_back_as_it_was(Role receiver, ProtocolVersion version) {
        SplittableRandom random = new SplittableRandom(41);
        RandomPackets packets = new RandomPackets(random);
        PacketDecoder decoder = new PacketDecoder(receiver);
        Map<PacketType, Integer> seen = new EnumMap<>(PacketType.class);
        for (int i = 0; i < PACKETS; i++) {
            Packet packet = packets.next(receiver, version);
            seen.merge(packet.type(), 1, Integer::sum);
            ByteBuf bytes = encode(packet, version);
            RecordingSink sink = new RecordingSink();
            ByteBuf in = bytes.duplicate();
            decoder.decode(in, state(packet, version), sink);
            assertThat(in.isReadable()).isFalse();
            assertSame(sink.packets, packet, version);
        }
        assertThat(seen.values()).allMatch(count -> count > 50);
        assertThat(seen).hasSizeGreaterThanOrEqualTo(version.isV5() ? 11 : 9);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"SERVER, MQTT_3_1", "SERVER, MQTT_3_1_1", "SERVER, MQTT_5", "CLIENT, MQTT_5"})
    void any_split_of_the_bytes_gives_the_same_packet(Role receiver, ProtocolVersion version) {
        SplittableRandom random = new SplittableRandom(43);
        RandomPackets packets = new RandomPackets(random);
        PacketDecoder decoder = new PacketDecoder(receiver);
        for (int i = 0; i < 300; i++) {
            Packet packet = packets.next(receiver, version);
            ByteBuf bytes = encode(packet, version);
            int length = bytes.readableBytes();
            boolean everySplit = length <= EVERY_SPLIT_UP_TO;
            int splits = everySplit ? length + 1 : 40;
            for (int s = 0; s < splits; s++) {
                int at = everySplit ? s : random.nextInt(length + 1);
                decodeInTwo(decoder, packet, version, bytes, at);
            }
        }
    }

    @Test
    void a_stream_in_random_pieces_gives_the_same_packets() {
        SplittableRandom random = new SplittableRandom(47);
        RandomPackets packets = new RandomPackets(random);
        PacketDecoder decoder = new PacketDecoder(Role.SERVER);
        for (int round = 0; round < 100; round++) {
            ByteBuf stream = Unpooled.buffer();
            RecordingSink expected = new RecordingSink();
            ProtocolVersion version = ProtocolVersion.values()[round % 3];
            Packet connect = packets.next(PacketType.CONNECT, Role.SERVER, version);
            PacketEncoder.encode(connect, version, stream);
            expected.onPacket(connect);
            for (int i = 0; i < 30; i++) {
                Packet packet = packets.next(Role.SERVER, version);
                if (packet.type() != PacketType.CONNECT) {
                    PacketEncoder.encode(packet, version, stream);
                    expected.onPacket(packet);
                }
            }
            RecordingSink sink = new RecordingSink();
            InboundState state = new InboundState(Integer.MAX_VALUE);
            ByteBuf in = Unpooled.buffer();
            while (stream.isReadable()) {
                int piece = Math.min(stream.readableBytes(), 1 + random.nextInt(200));
                in.writeBytes(stream, piece);
                decoder.decode(in, state, sink);
                in.discardReadBytes();
            }
            assertThat(in.isReadable()).isFalse();
            assertThat(sink.packets).hasSameSizeAs(expected.packets);
            for (int i = 0; i < sink.packets.size(); i++) {
                assertSame(List.of(sink.packets.get(i)), expected.packets.get(i), version);
            }
        }
    }

    @Test
    void a_publish_of_the_message_path_has_the_same_bytes_as_the_value() {
        RandomPackets packets = new RandomPackets(new SplittableRandom(53));
        PublishEncoder encoder = new PublishEncoder();
        for (int i = 0; i < PACKETS; i++) {
            ProtocolVersion version = ProtocolVersion.values()[i % 3];
            Packet packet =
                    RecordingSink.normal(packets.next(PacketType.PUBLISH, Role.CLIENT, version));
            Packet.Publish publish = (Packet.Publish) packet;
            byte[] topic =
                    publish.topic() == null ? PublishEncoder.NO_TOPIC : publish.topic().bytes();
            int alias = (int) publish.properties().number(Property.TOPIC_ALIAS, 0);
            long expiry = publish.properties().number(Property.MESSAGE_EXPIRY_INTERVAL, -1);
            var split = new MessageProperties(publish.properties());
            ByteBuf out = Unpooled.buffer();
            int first = PublishEncoder.first(publish.qos(), publish.dup(), publish.retain());
            encoder.write(
                    out,
                    version,
                    first,
                    topic,
                    publish.packetId(),
                    alias,
                    expiry,
                    split.subscriptionIds,
                    split.forwarded,
                    publish.payload(),
                    i % 2 == 0);
            if (i % 2 != 0) {
                out.writeBytes(publish.payload());
            }
            int length =
                    PublishEncoder.length(
                            version,
                            publish.qos(),
                            topic.length,
                            alias,
                            expiry,
                            split.subscriptionIds,
                            split.forwarded.length,
                            publish.payload().length);
            assertThat(length).isEqualTo(out.readableBytes());
            assertThat(out).isEqualTo(encode(publish, version));
        }
    }

    /** What is short is put together before it is written, what is long is written in parts. */
    @Test
    void publishes_around_the_length_that_is_short_have_the_right_bytes() {
        PublishEncoder encoder = new PublishEncoder();
        for (int topicBytes : new int[] {1, 900, 980, 1_000, 1_010, 1_024, 2_000, 65_535}) {
            for (int payloadBytes : new int[] {0, 1, 20, 100, 1_000, 1_024, 5_000}) {
                Topic topic = Topic.of("t".repeat(topicBytes));
                byte[] payload = new byte[payloadBytes];
                Arrays.fill(payload, (byte) topicBytes);
                ByteBuf out = Unpooled.buffer();
                encoder.write(
                        out,
                        ProtocolVersion.MQTT_3_1_1,
                        PublishEncoder.first(1, true, false),
                        topic.bytes(),
                        513,
                        0,
                        -1,
                        new int[0],
                        PublishFrame.NO_PROPERTIES,
                        payload,
                        true);
                Packet.Publish value =
                        new Packet.Publish(topic, 1, true, false, 513, Properties.NONE, payload);
                assertThat(out).isEqualTo(encode(value, ProtocolVersion.MQTT_3_1_1));
            }
        }
    }

    @Test
    void acknowledgements_of_the_message_path_have_the_same_bytes_as_the_values() {
        RandomPackets packets = new RandomPackets(new SplittableRandom(59));
        for (int i = 0; i < 400; i++) {
            PacketType type = PacketType.of(4 + i % 4);
            Packet packet = packets.next(type, Role.CLIENT, ProtocolVersion.MQTT_5);
            Packet.Ack ack = (Packet.Ack) RecordingSink.normal(packet);
            ByteBuf out = Unpooled.buffer();
            PacketEncoder.ack(out, type, ack.packetId(), ack.reason().code());
            assertThat(out).isEqualTo(encode(ack, ProtocolVersion.MQTT_5));
            out.clear();
            PacketEncoder.ack(out, type, ack.packetId());
            assertThat(out).isEqualTo(encode(ack, ProtocolVersion.MQTT_3_1_1));
        }
    }

    @Test
    void packets_take_the_short_form_where_the_standard_has_one() {
        RandomPackets packets = new RandomPackets(new SplittableRandom(61));
        assertThat(hex("E0 00")).isEqualTo(encodeHex(packets, PacketType.DISCONNECT));
        assertThat(hex("C0 00")).isEqualTo(encodeHex(packets, PacketType.PINGREQ));
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.pingResp(out);
        PacketEncoder.ack(out, PacketType.PUBREL, 0xABCD);
        PacketEncoder.ack(out, PacketType.PUBCOMP, 1, 0x92);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("d0006202abcd7003000192");
    }

    private static String encodeHex(RandomPackets packets, PacketType type) {
        // 3.x has the short form only
        Packet packet = packets.next(type, Role.SERVER, ProtocolVersion.MQTT_3_1_1);
        return ByteBufUtil.hexDump(encode(packet, ProtocolVersion.MQTT_5));
    }

    private static String hex(String text) {
        return text.replace(" ", "").toLowerCase(Locale.ROOT);
    }

    private static void decodeInTwo(
            PacketDecoder decoder, Packet packet, ProtocolVersion version, ByteBuf bytes, int at) {
        RecordingSink sink = new RecordingSink();
        InboundState state = state(packet, version);
        ByteBuf in = Unpooled.buffer();
        in.writeBytes(bytes, 0, at);
        int length = decoder.frameLength(in, 0, at, state);
        assertThat(length).isIn(PacketDecoder.INCOMPLETE, bytes.readableBytes());
        assertThat(length != PacketDecoder.INCOMPLETE || at < 5).isTrue();
        decoder.decode(in, state, sink);
        if (at < bytes.readableBytes()) {
            assertThat(sink.packets).isEmpty();
            assertThat(in.readerIndex()).isZero();
        }
        in.writeBytes(bytes, at, bytes.readableBytes() - at);
        decoder.decode(in, state, sink);
        assertThat(in.isReadable()).isFalse();
        assertSame(sink.packets, packet, version);
    }

    private static InboundState state(Packet packet, ProtocolVersion version) {
        InboundState state = new InboundState(Integer.MAX_VALUE);
        state.version = packet.type() == PacketType.CONNECT ? null : version;
        return state;
    }

    private static ByteBuf encode(Packet packet, ProtocolVersion version) {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.encode(packet, version, out);
        assertThat(PacketEncoder.encodedLength(packet, version)).isEqualTo(out.readableBytes());
        return out;
    }

    /** Arrays in packets have no equality of their own: the same values and the same bytes. */
    private static void assertSame(List<Packet> decoded, Packet packet, ProtocolVersion version) {
        Packet expected = RecordingSink.normal(packet);
        assertThat(decoded).hasSize(1);
        assertThat(decoded.get(0).toString().replaceAll("\\[B@\\w+", ""))
                .isEqualTo(expected.toString().replaceAll("\\[B@\\w+", ""));
        assertThat(encode(decoded.get(0), version)).isEqualTo(encode(expected, version));
    }
}
