package io.godwit.core.codec;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.mqtt.MqttMessage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Question: is any packet slower than with netty-codec-mqtt?
 *
 * <p>Command: {@code ./godwit jmh PacketBenchmark -prof gc -prof io.godwit.core.codec.CpuTime}
 *
 * <p>One packet of MQTT 5.0 at a time, as clients send them; values are there already when they are
 * encoded, both codecs write into a pooled buffer that is made and released.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            NettyThreads.EXECUTOR,
            NettyThreads.EXECUTOR_CLASS,
            NettyThreads.NO_LEAK_DETECTION
        })
public class PacketBenchmark {
    /** What is decoded and encoded. */
    public enum Sample {
        CONNECT(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("sensor-000000000042"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE)),
        CONNECT_FULL(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("sensor-000000000042"),
                        false,
                        60,
                        new Will(
                                Topic.of("sensors/42/state"),
                                1,
                                true,
                                new byte[7],
                                30,
                                Properties.builder()
                                        .add(Property.MESSAGE_EXPIRY_INTERVAL, 3600)
                                        .build()),
                        "sensor",
                        new byte[12],
                        false,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, 3600)
                                .add(Property.RECEIVE_MAXIMUM, 20)
                                .user("build", "4711")
                                .build())),
        CONNACK(
                new Packet.ConnAck(
                        true,
                        0,
                        Properties.builder()
                                .add(Property.RECEIVE_MAXIMUM, 1024)
                                .add(Property.TOPIC_ALIAS_MAXIMUM, 32)
                                .add(Property.MAXIMUM_PACKET_SIZE, 16 << 20)
                                .build())),
        SUBSCRIBE(
                new Packet.Subscribe(
                        7,
                        List.of(
                                subscription("plant/hall-7/+/state"),
                                subscription("plant/hall-7/alarms/#"),
                                subscription("commands/sensor-000000000042")),
                        Properties.NONE)),
        SUBACK(new Packet.SubAck(7, new byte[] {1, 1, 1}, Properties.NONE)),
        UNSUBSCRIBE(
                new Packet.Unsubscribe(
                        7,
                        List.of(
                                TopicFilter.of("plant/hall-7/+/state"),
                                TopicFilter.of("plant/hall-7/alarms/#")),
                        Properties.NONE)),
        UNSUBACK(new Packet.UnsubAck(7, new byte[] {0, 17}, Properties.NONE)),
        PUBREC_WITH_REASON(
                new Packet.Ack(
                        PacketType.PUBREC,
                        7,
                        ReasonCode.QUOTA_EXCEEDED,
                        Properties.builder().add(Property.REASON_STRING, "queue full").build())),
        PUBREL(new Packet.Ack(PacketType.PUBREL, 7, ReasonCode.SUCCESS, Properties.NONE)),
        PUBCOMP(new Packet.Ack(PacketType.PUBCOMP, 7, ReasonCode.SUCCESS, Properties.NONE)),
        PINGREQ(Packet.PingReq.INSTANCE),
        PINGRESP(Packet.PingResp.INSTANCE),
        DISCONNECT(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE)),
        DISCONNECT_WITH_REASON(
                new Packet.Disconnect(
                        ReasonCode.DISCONNECT_WITH_WILL,
                        Properties.builder().add(Property.REASON_STRING, "maintenance").build())),
        AUTH(
                new Packet.Auth(
                        ReasonCode.CONTINUE_AUTHENTICATION,
                        Properties.builder()
                                .add(Property.AUTHENTICATION_METHOD, "SCRAM-SHA-256")
                                .add(Property.AUTHENTICATION_DATA, new byte[40])
                                .build()));

        private final Packet packet;

        Sample(Packet packet) {
            this.packet = packet;
        }

        private static Packet.Subscription subscription(String filter) {
            return new Packet.Subscription(TopicFilter.of(filter), 1, false, false, 0);
        }
    }

    @Param Sample sample = Sample.CONNECT;

    private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer();
    private final InboundState state = new InboundState(1 << 20);
    private final NettyCodec netty = new NettyCodec(ProtocolVersion.MQTT_5);
    private final HoleSink sink = new HoleSink();
    private PacketDecoder decoder = new PacketDecoder(Role.SERVER);
    private Packet packet = sample.packet;
    private MqttMessage nettyPacket = new MqttMessage(null);

    @Setup
    public void fill() {
        packet = sample.packet;
        PacketEncoder.encode(packet, ProtocolVersion.MQTT_5, in);
        nettyPacket = netty.decode(in);
        boolean isFromServer =
                switch (packet.type()) {
                    case CONNACK, SUBACK, UNSUBACK, PINGRESP -> true;
                    default -> false;
                };
        decoder = new PacketDecoder(isFromServer ? Role.CLIENT : Role.SERVER);
    }

    @Benchmark
    public void decodeGodwit(Blackhole hole) {
        in.readerIndex(0);
        sink.hole = hole;
        state.version = packet.type() == PacketType.CONNECT ? null : ProtocolVersion.MQTT_5;
        decoder.decode(in, state, sink);
    }

    @Benchmark
    public MqttMessage decodeNetty() {
        in.readerIndex(0);
        return netty.decode(in);
    }

    @Benchmark
    public void encodeGodwit(Blackhole hole) {
        int length = PacketEncoder.encodedLength(packet, ProtocolVersion.MQTT_5);
        ByteBuf out = PooledByteBufAllocator.DEFAULT.buffer(length);
        PacketEncoder.encode(packet, ProtocolVersion.MQTT_5, out);
        hole.consume(out);
        out.release();
    }

    @Benchmark
    public void encodeNetty(Blackhole hole) {
        ByteBuf out = netty.encode(nettyPacket);
        hole.consume(out);
        out.release();
    }
}
