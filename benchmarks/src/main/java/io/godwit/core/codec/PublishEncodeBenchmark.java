package io.godwit.core.codec;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
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
 * Question: what does it cost to write a PUBLISH for one more subscriber, from the message as it is
 * routed (topic and payload as bytes) to the bytes for the socket, beside netty-codec-mqtt?
 *
 * <p>Command: {@code ./godwit jmh PublishEncode -prof gc -prof io.godwit.core.codec.CpuTime}
 *
 * <p>64 packets of QoS 1. Ours go into one pooled buffer, as the wire takes them; Netty's codec
 * makes a buffer for each, around a value that must be made for each packet identifier (the String
 * of the topic is there already).
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
public class PublishEncodeBenchmark {
    private static final int PACKETS = 64;
    private static final int[] NO_IDS = new int[0];
    private static final int FIRST = PublishEncoder.first(1, false, false);

    @Param({"16", "1024"})
    int payloadBytes;

    @Param({"MQTT_3_1_1", "MQTT_5"})
    ProtocolVersion version = ProtocolVersion.MQTT_5;

    private final PublishEncoder encoder = new PublishEncoder();
    private final Topic topic = Topic.of("plant/hall-7/machine-0001/state");
    private final String topicText = topic.toString();
    private byte[] payload = new byte[0];
    private NettyCodec netty = new NettyCodec(version);

    @Setup
    public void fill() {
        payload = new byte[payloadBytes];
        netty = new NettyCodec(version);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void godwit(Blackhole hole) {
        byte[] name = topic.bytes();
        byte[] none = PublishFrame.NO_PROPERTIES;
        int length =
                PublishEncoder.length(version, 1, name.length, 0, -1, NO_IDS, 0, payload.length);
        ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(PACKETS * length);
        for (int i = 1; i <= PACKETS; i++) {
            encoder.write(out, version, FIRST, name, i, 0, -1, NO_IDS, none, payload, true);
        }
        hole.consume(out);
        out.release();
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void netty(Blackhole hole) {
        for (int i = 1; i <= PACKETS; i++) {
            MqttPublishMessage message =
                    new MqttPublishMessage(
                            new MqttFixedHeader(
                                    MqttMessageType.PUBLISH,
                                    false,
                                    MqttQoS.AT_LEAST_ONCE,
                                    false,
                                    0),
                            new MqttPublishVariableHeader(topicText, i),
                            Unpooled.wrappedBuffer(payload));
            ByteBuf out = netty.encode(message);
            hole.consume(out);
            out.release();
            message.release();
        }
    }
}
