package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketDecoderTest {
    private final PacketDecoder decoder = new PacketDecoder(Role.SERVER);
    private final InboundState state = new InboundState(1000);
    private final RecordingSink sink = new RecordingSink();

    @Nested
    class Given_a_new_connection {
        @ParameterizedTest(name = "{0}")
        @CsvSource({
            "10 $MQIsdp 03 02 003C $c, MQTT_3_1",
            "10 $MQTT 04 02 003C $c, MQTT_3_1_1",
            "10 $MQTT 05 02 003C 00 $c, MQTT_5",
            "10 $MQIsdp 83 02 003C $c, MQTT_3_1",
            "10 $MQTT 84 02 003C $c, MQTT_3_1_1",
            "10 $MQTT 85 02 003C 00 $c, MQTT_5"
        })
        void name_and_level_tell_the_version(String packet, ProtocolVersion version) {
            decode(Bytes.packet(packet));
            assertThat(state.version).isEqualTo(version);
            Packet.Connect connect = (Packet.Connect) sink.packets.get(0);
            assertThat(connect.version()).isEqualTo(version);
            assertThat(connect.keepAliveSeconds()).isEqualTo(60);
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource({
            "10 $MQTT 83 02 003C $c, MQTT_3_1_1",
            "10 $MQTT 86 02 003C 00 $c, MQTT_5",
            "10 $MQIsdp 84 02 003C $c, MQTT_3_1_1",
            "10 $MQIsdp 04 02 003C $c, MQTT_3_1_1",
            "10 $MQTT 03 02 003C $c, MQTT_3_1_1",
            "10 $MQTT 00, MQTT_3_1_1",
            "10 $MQTT 06 02 003C 00 $c, MQTT_5"
        })
        void an_unknown_level_says_how_to_answer(String packet, ProtocolVersion answer) {
            ProtocolViolation violation = refused(Bytes.packet(packet));
            assertThat(violation.reason()).isEqualTo(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION);
            assertThat(state.version).isEqualTo(answer);
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource({
            "10 $MQIsdp 03 02 003C $c, false",
            "10 $MQIsdp 83 02 003C $c, true",
            "10 $MQTT 04 02 003C $c, false",
            "10 $MQTT 84 02 003C $c, true"
        })
        void subscriptions_of_a_bridge_get_its_options_but_no_local_on_a_shared_one(
                String connect, boolean isBridge) {
            decode(Bytes.packet(connect));
            decode(Bytes.packet("82 0001 $t 01 $$share/g/t 01"));
            Packet.Subscribe subscribe = (Packet.Subscribe) sink.packets.get(1);
            assertThat(subscribe.subscriptions())
                    .extracting(Packet.Subscription::noLocal)
                    .containsExactly(isBridge, false);
            assertThat(subscribe.subscriptions())
                    .extracting(Packet.Subscription::retainAsPublished)
                    .containsExactly(isBridge, isBridge);
        }

        @Test
        void subscription_of_a_bridge_of_mqtt_5_gets_its_options_and_keeps_its_own() {
            decode(Bytes.packet("10 $MQTT 85 02 003C 00 $c"));
            decode(Bytes.packet("82 0001 00 $t 21"));
            Packet.Subscribe subscribe = (Packet.Subscribe) sink.packets.get(1);
            assertThat(subscribe.subscriptions())
                    .containsExactly(
                            new Packet.Subscription(
                                    new TopicFilter("t".getBytes(StandardCharsets.UTF_8)),
                                    1,
                                    true,
                                    true,
                                    2));
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource({"10 $HTTP 05 02 003C 00 $c", "10 $mqtt 04 02 003C $c", "10 - 04 02 003C $c"})
        void an_unknown_name_is_not_answered(String packet) {
            ProtocolViolation violation = refused(Bytes.packet(packet));
            assertThat(violation.reason()).isEqualTo(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION);
            assertThat(state.version).isNull();
        }

        @Test
        void what_is_wrong_behind_the_level_is_answered_in_that_version() {
            refused(Bytes.packet("10 $MQTT 05 03 003C 00 $c"));
            assertThat(state.version).isEqualTo(ProtocolVersion.MQTT_5);
        }

        @Test
        void a_client_identifier_may_have_65535_bytes_in_every_version() {
            String id = "i".repeat(65_535);
            for (String head : List.of("$MQIsdp 03 02 0000", "$MQTT 04 02 0000")) {
                state.version = null;
                state.packetBytesMax = 1 << 20;
                decode(Bytes.packet("10 " + head + " $" + id));
                Packet.Connect connect = (Packet.Connect) sink.packets.get(sink.packets.size() - 1);
                assertThat(connect.clientId().length()).isEqualTo(65_535);
            }
        }

        @Test
        void in_3_1_a_user_name_may_be_announced_and_missing() {
            decode(Bytes.packet("10 $MQIsdp 03 C2 003C $c"));
            Packet.Connect connect = (Packet.Connect) sink.packets.get(0);
            assertThat(connect.userName()).isNull();
            assertThat(connect.password()).isNull();
        }

        @Test
        void a_first_packet_that_is_no_connect_is_refused_at_its_first_byte() {
            ProtocolViolation violation = refused(Unpooled.buffer().writeByte(0x30));
            assertThat(violation.reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        }
    }

    @Nested
    class Given_the_length_field {
        @Test
        void a_packet_above_the_maximum_is_refused_when_its_header_is_there() {
            state.version = ProtocolVersion.MQTT_5;
            decode(Bytes.raw("30 E507 $t 00").writeZero(993));
            assertThat(sink.packets).hasSize(1);
            assertThat(decoder.frameLength(Bytes.raw("30 E507"), 0, 3, state)).isEqualTo(1000);
            ProtocolViolation violation = refused(Bytes.raw("30 E607"));
            assertThat(violation.reason()).isEqualTo(ReasonCode.PACKET_TOO_LARGE);
        }

        @Test
        void the_largest_length_needs_no_memory() {
            state.version = ProtocolVersion.MQTT_5;
            state.packetBytesMax = Integer.MAX_VALUE;
            ByteBuf in = Bytes.raw("30 FFFFFF7F 0001");
            decode(in);
            assertThat(in.readerIndex()).isZero();
            assertThat(decoder.frameLength(in, 0, 7, state)).isEqualTo(268_435_460);
        }

        @Test
        void a_fifth_byte_is_malformed() {
            state.version = ProtocolVersion.MQTT_3_1_1;
            assertThat(decoder.frameLength(Bytes.raw("30 808080"), 0, 4, state))
                    .isEqualTo(PacketDecoder.INCOMPLETE);
            ProtocolViolation violation = refused(Bytes.raw("30 80808080"));
            assertThat(violation.reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
        }

        @Test
        void a_longer_form_than_needed_is_malformed_in_5_only() {
            state.version = ProtocolVersion.MQTT_3_1_1;
            decode(Bytes.raw("C0 8000"));
            assertThat(sink.packets).hasSize(1);
            state.version = ProtocolVersion.MQTT_5;
            ProtocolViolation violation = refused(Bytes.raw("C0 8000"));
            assertThat(violation.reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
            state.version = null;
            violation = refused(Bytes.raw("10 8E00 $MQTT 05 02 003C 00 $c"));
            assertThat(violation.reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
            state.version = null;
            decode(Bytes.raw("10 8D00 $MQTT 04 02 003C $c"));
            assertThat(sink.packets).hasSize(2);
        }
    }

    @Test
    void a_sink_that_wants_no_more_leaves_the_rest_unread() {
        state.version = ProtocolVersion.MQTT_3_1_1;
        sink.packetsMax = 2;
        ByteBuf in = Bytes.raw("C000 C000 C000 C000");
        decode(in);
        assertThat(sink.packets).hasSize(2);
        assertThat(in.readerIndex()).isEqualTo(4);
        sink.packetsMax = 9;
        decode(in);
        assertThat(sink.packets).hasSize(4);
        assertThat(in.isReadable()).isFalse();
    }

    @Test
    void a_packet_sent_again_may_have_dup_in_3_1() {
        state.version = ProtocolVersion.MQTT_3_1;
        decode(Bytes.packet("6A 0001"));
        decode(Bytes.packet("8A 0001 $a 00"));
        decode(Bytes.packet("AA 0001 $a"));
        assertThat(sink.packets).hasSize(3);
    }

    @Test
    void the_payload_is_a_range_of_the_received_buffer() {
        state.version = ProtocolVersion.MQTT_5;
        ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer();
        in.writeZero(3).skipBytes(3);
        in.writeBytes(Bytes.packet("33 $t 0007 0C 26 $n $v 02 00000009 'payload"));
        ByteBuf read = in.duplicate();
        List<String> seen = new ArrayList<>();
        decoder.decode(
                read,
                state,
                new PacketSink() {
                    @Override
                    public void onPublish(PublishFrame frame) {
                        assertThat(frame.buffer).isSameAs(read);
                        assertThat(frame.payloadIndex + frame.payloadLength)
                                .isEqualTo(in.writerIndex());
                        assertThat(frame.retain).isTrue();
                        assertThat(frame.packetId).isEqualTo(7);
                        assertThat(frame.expirySeconds).isEqualTo(9);
                        seen.add(new String(frame.copyPayload(), StandardCharsets.UTF_8));
                        seen.add(ByteBufUtil.hexDump(frame.forwardedProperties));
                    }

                    @Override
                    public void onAck(PacketType type, int packetId, int reasonCode) {}

                    @Override
                    public void onPacket(Packet packet) {}

                    @Override
                    public boolean wantsMore() {
                        return true;
                    }
                });
        assertThat(seen).containsExactly("payload", "2600016e000176");
        in.release();
    }

    @Test
    void a_topic_named_again_is_the_same_object_on_every_connection() {
        state.version = ProtocolVersion.MQTT_3_1_1;
        decode(Bytes.packet("30 $some/topic/of/mine"));
        decode(Bytes.packet("30 $another"));
        InboundState other = new InboundState(100);
        other.version = ProtocolVersion.MQTT_3_1_1;
        decoder.decode(Bytes.packet("30 $some/topic/of/mine"), other, sink);
        decode(Bytes.packet("30 $some/topic/of/mine"));
        Topic first = ((Packet.Publish) sink.packets.get(0)).topic();
        assertThat(first).isEqualTo(Topic.of("some/topic/of/mine"));
        assertThat(((Packet.Publish) sink.packets.get(2)).topic()).isSameAs(first);
        assertThat(((Packet.Publish) sink.packets.get(3)).topic()).isSameAs(first);
        assertThat(other.lastTopic).isSameAs(first);
    }

    @Test
    void a_long_topic_is_not_kept() {
        state.version = ProtocolVersion.MQTT_3_1_1;
        state.packetBytesMax = 1 << 20;
        for (int length : new int[] {TopicCache.TOPIC_BYTES_MAX, 65_535}) {
            decode(Bytes.packet("30 $" + "t".repeat(length)));
        }
        assertThat(sink.packets).hasSize(2);
        assertThat(state.lastTopic).isNotNull();
        assertThat(state.lastTopic.length()).isEqualTo(TopicCache.TOPIC_BYTES_MAX);
    }

    private void decode(ByteBuf in) {
        decoder.decode(in, state, sink);
    }

    private ProtocolViolation refused(ByteBuf in) {
        ProtocolViolation violation =
                catchThrowableOfType(ProtocolViolation.class, () -> decode(in));
        assertThat(violation).isNotNull();
        return violation;
    }
}
