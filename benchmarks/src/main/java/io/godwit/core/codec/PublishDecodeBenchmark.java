package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Question: what does a PUBLISH cost from the bytes in a socket's buffer to the form that the
 * router takes (a checked, interned Topic, and where the payload stands), beside netty-codec-mqtt?
 *
 * <p>Command: {@code ./godwit jmh PublishDecode -prof gc -prof io.godwit.core.codec.CpuTime}
 *
 * <p>64 packets in one direct buffer, QoS 1, topics of 30 bytes, one or a hundred in turn. Netty's
 * String becomes a Topic by a look-up in a HashMap, which also spares it the check of what it has
 * seen before.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {
            NettyThreads.EXECUTOR,
            NettyThreads.EXECUTOR_CLASS,
            NettyThreads.NO_LEAK_DETECTION
        })
public class PublishDecodeBenchmark {
    private static final int PACKETS = 64;

    @Param({"16", "1024"})
    int payloadBytes;

    @Param({"MQTT_3_1_1", "MQTT_5"})
    ProtocolVersion version = ProtocolVersion.MQTT_5;

    @Param({"1", "100"})
    int topics;

    private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer();
    private final PacketDecoder decoder = new PacketDecoder(Role.SERVER);
    private final InboundState state = new InboundState(1 << 20);
    private NettyCodec netty = new NettyCodec(version);
    private final Map<String, Topic> interned = new HashMap<>();
    private final HoleSink sink = new HoleSink();

    @Setup
    public void fill() {
        for (int i = 0; i < PACKETS; i++) {
            Topic topic = Topic.of("plant/hall-7/machine-%04d/state".formatted(i % topics));
            Packet packet =
                    new Packet.Publish(
                            topic, 1, false, false, 1 + i, Properties.NONE, new byte[payloadBytes]);
            PacketEncoder.encode(packet, version, in);
        }
        state.version = version;
        netty = new NettyCodec(version);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void godwit(Blackhole hole) {
        in.readerIndex(0);
        sink.hole = hole;
        decoder.decode(in, state, sink);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void netty(Blackhole hole) {
        in.readerIndex(0);
        while (in.isReadable()) {
            MqttPublishMessage message = (MqttPublishMessage) netty.decode(in);
            String name = message.variableHeader().topicName();
            Topic topic = interned.get(name);
            if (topic == null) {
                topic = Topic.of(name);
                interned.put(name, topic);
            }
            hole.consume(topic);
            hole.consume(message.variableHeader().packetId());
            hole.consume(message.payload());
            message.release();
        }
    }
}
