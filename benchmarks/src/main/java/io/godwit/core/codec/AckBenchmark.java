package io.godwit.core.codec;

import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPubAckMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Question: what does a PUBACK cost on its way in and on its way out, beside netty-codec-mqtt?
 *
 * <p>Command: {@code ./godwit jmh AckBenchmark -prof gc -prof io.godwit.core.codec.CpuTime}
 *
 * <p>64 packets of MQTT 5.0 in one buffer; Netty's codec makes a buffer for each on the way out.
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
public class AckBenchmark {
    private static final int PACKETS = 64;

    private final MqttFixedHeader header =
            new MqttFixedHeader(MqttMessageType.PUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0);
    private final ByteBuf in = PooledByteBufAllocator.DEFAULT.directBuffer();
    private final PacketDecoder decoder = new PacketDecoder(Role.SERVER);
    private final InboundState state = new InboundState(1 << 20);
    private final NettyCodec netty = new NettyCodec(ProtocolVersion.MQTT_5);
    private final HoleSink sink = new HoleSink();

    @Setup
    public void fill() {
        for (int i = 1; i <= PACKETS; i++) {
            PacketEncoder.ack(in, PacketType.PUBACK, i);
        }
        state.version = ProtocolVersion.MQTT_5;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void decodeGodwit(Blackhole hole) {
        in.readerIndex(0);
        sink.hole = hole;
        decoder.decode(in, state, sink);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void decodeNetty(Blackhole hole) {
        in.readerIndex(0);
        while (in.isReadable()) {
            MqttMessage message = netty.decode(in);
            MqttMessageIdVariableHeader reply =
                    (MqttMessageIdVariableHeader) message.variableHeader();
            hole.consume(message.fixedHeader().messageType());
            hole.consume(reply.messageId());
        }
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void encodeGodwit(Blackhole hole) {
        ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(PACKETS * 4);
        for (int i = 1; i <= PACKETS; i++) {
            PacketEncoder.ack(out, PacketType.PUBACK, i);
        }
        hole.consume(out);
        out.release();
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public void encodeNetty(Blackhole hole) {
        for (int i = 1; i <= PACKETS; i++) {
            ByteBuf out =
                    netty.encode(
                            new MqttPubAckMessage(header, MqttMessageIdVariableHeader.from(i)));
            hole.consume(out);
            out.release();
        }
    }
}
