package io.godwit.core.node;

import io.godwit.core.auth.Security;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.connection.ClientConnection;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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

/**
 * Question: how many messages does one core carry from a publisher's bytes to a subscriber's, and
 * at QoS 1 back with both acknowledgements, when sockets and the kernel cost nothing?
 *
 * <p>Command: {@code ./godwit jmh MessagePath -prof gc -prof io.godwit.core.codec.CpuTime}
 *
 * <p>100 pairs with a topic each on two shards, of which one thread does the work of both; half of
 * the pairs have their ends on different shards. A publisher's 60 messages of 100 B come in one
 * read, as the subscriber's 60 PUBACKs do.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {
            "-Djmh.executor=CUSTOM",
            "-Djmh.executor.class=io.godwit.core.codec.NettyThreads",
            "-Dio.netty.leakDetection.level=disabled"
        })
public class MessagePathBenchmark {
    private static final int PAIRS = 100;
    private static final int READ = 60;
    private static final int PAYLOAD_BYTES = 100;

    /** Pairs whose bytes come in one turn. */
    private static final int TURN = 10;

    @Param({"0", "1"})
    int qos;

    private final SteppedLoop[] loops = {new SteppedLoop(), new SteppedLoop()};
    private final ClientConnection[] publishers = new ClientConnection[PAIRS];
    private final ClientConnection[] subscribers = new ClientConnection[PAIRS];
    private final ByteBuf[] published = new ByteBuf[PAIRS];
    private final int[] packetIds = new int[PAIRS];
    private final HoleWire received = new HoleWire();
    private final ByteBuf acks = PooledByteBufAllocator.DEFAULT.directBuffer(READ * 4);
    private Broker broker = broker();

    private Broker broker() {
        NodeContext context =
                new NodeContext(
                        MqttSettings.DEFAULTS,
                        LimitSettings.DEFAULTS,
                        QueueSettings.DEFAULTS,
                        OverloadSettings.DEFAULTS,
                        1,
                        loops.length,
                        new MemoryStore(),
                        new SystemClock(),
                        Security.open(Map.of()),
                        () -> 0,
                        new KeyedHash(new SplittableRandom(1)),
                        Rules.ALL);
        return new Broker(context, loops, new SplittableRandom(1));
    }

    /** The clocks of the machine. */
    private static final class SystemClock implements TimeSource {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long monotonicMs() {
            return System.nanoTime() / 1_000_000;
        }

        @Override
        public long wallMs() {
            return System.currentTimeMillis();
        }
    }

    @Setup
    public void connect() {
        for (int i = 0; i < PAIRS; i++) {
            Topic topic = Topic.of("plant/hall-7/machine-" + i + "/state");
            publishers[i] = open("publisher-" + i, i & 1, new HoleWire());
            subscribers[i] = open("subscriber-" + i, i >> 1 & 1, received);
            send(
                    subscribers[i],
                    new Packet.Subscribe(
                            1,
                            List.of(
                                    new Packet.Subscription(
                                            TopicFilter.of(topic.toString()),
                                            qos,
                                            false,
                                            false,
                                            0)),
                            Properties.NONE));
            published[i] = messages(topic);
            packetIds[i] = 1;
        }
        long before = received.taken;
        publish();
        if (received.taken - before < (long) PAIRS * READ * PAYLOAD_BYTES) {
            throw new IllegalStateException("not every message has arrived");
        }
    }

    private ClientConnection open(String clientId, int shard, HoleWire wire) {
        ClientConnection connection = broker.shard(shard).open(wire);
        send(
                connection,
                new Packet.Connect(
                        ProtocolVersion.MQTT_3_1_1,
                        ClientId.of(clientId),
                        true,
                        0,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE));
        return connection;
    }

    private void send(ClientConnection from, Packet packet) {
        ByteBuf bytes = Unpooled.buffer();
        PacketEncoder.encode(packet, ProtocolVersion.MQTT_3_1_1, bytes);
        from.onBytes(bytes);
        settle();
    }

    private ByteBuf messages(Topic topic) {
        ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer();
        PublishEncoder encoder = new PublishEncoder();
        for (int i = 1; i <= READ; i++) {
            encoder.write(
                    bytes,
                    ProtocolVersion.MQTT_3_1_1,
                    PublishEncoder.first(qos, false, false),
                    topic.bytes(),
                    i,
                    0,
                    -1,
                    new int[0],
                    PublishFrame.NO_PROPERTIES,
                    new byte[PAYLOAD_BYTES],
                    true);
        }
        return bytes;
    }

    @Benchmark
    @OperationsPerInvocation(PAIRS * READ)
    public long publish() {
        for (int from = 0; from < PAIRS; from += TURN) {
            for (int i = from; i < from + TURN; i++) {
                publishers[i].onBytes(published[i].readerIndex(0));
            }
            settle();
            if (qos == 1) {
                for (int i = from; i < from + TURN; i++) {
                    acknowledge(i);
                }
                settle();
            }
        }
        return received.taken;
    }

    /** Packet ids are given in turn. */
    private void acknowledge(int subscriber) {
        acks.clear();
        int id = packetIds[subscriber];
        for (int i = 0; i < READ; i++) {
            PacketEncoder.ack(acks, PacketType.PUBACK, id);
            id = id == 0xFFFF ? 1 : id + 1;
        }
        packetIds[subscriber] = id;
        subscribers[subscriber].onBytes(acks);
    }

    private void settle() {
        boolean busy;
        do {
            busy = false;
            for (int i = 0; i < loops.length; i++) {
                busy |= loops[i].step(broker.shard(i));
            }
        } while (busy);
    }
}
