package io.godwit.server.listener;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.core.auth.Security;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.ConnectionLog;
import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.time.TimeSource;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.http.OwnNames;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.loop.ShardEventLoop;
import io.godwit.server.loop.Transport;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A connection that another node serves keeps its socket, and loses no byte and no buffer. */
class PlacedElsewhereIT {
    private static final int ADMITTED_MAX = 1_000;

    @TempDir Path folder;

    private final ListAppender<ILoggingEvent> leaks = new ListAppender<>();
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private final Admission admission = new Admission(ADMITTED_MAX, 10);
    private final EventLoops loops =
            new EventLoops(2, Transport.best(), (shard, fault) -> faults.add(fault));
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger withdrawn = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final Identity authority = TestCertificates.authority("ca");
    private final Identity server = TestCertificates.server(authority);
    private final Broker broker = new Broker(context(), loops.all(), new SplittableRandom(1));
    private final Listeners listeners = listeners();

    /** After so long a question is answered; below 0: never. */
    private volatile int answerAfterMs;

    /** Why connections are refused; null: they are not. */
    private volatile @Nullable String refusal;

    @BeforeEach
    void watch_for_leaks() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        leaks.start();
        leakLog().addAppender(leaks);
        broker.recover();
        for (int i = 0; i < broker.shards(); i++) {
            loops.get(i).start(broker.shard(i));
        }
    }

    private static Logger leakLog() {
        return (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    }

    @AfterEach
    void stop() throws Exception {
        await().untilAsserted(this::assertNothingIsLeft);
        listeners.stopAccepting(10_000);
        assertThat(loops.stop(10_000)).isTrue();
        listeners.release();
        assertThat(faults).isEmpty();
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
            Unpooled.directBuffer(16).release();
        }
        leakLog().detachAppender(leaks);
        assertThat(leaks.list).as("buffers that nobody has released").isEmpty();
    }

    private void assertNothingIsLeft() {
        assertThat(admission.connections()).isZero();
        for (int i = 0; i < broker.shards(); i++) {
            assertThat(broker.shard(i).load().connections()).isZero();
            assertThat(broker.shard(i).load().heldBytes()).isZero();
            assertThat(broker.shard(i).load().sessions()).isZero();
        }
    }

    // ---------------------------------------------------------------- the broker

    private NodeContext context() {
        return new NodeContext(
                MqttSettings.DEFAULTS,
                LimitSettings.DEFAULTS,
                QueueSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                1,
                2,
                new MemoryStore(),
                new RealTime(),
                Security.open(Map.of()),
                () -> 0,
                new KeyedHash(new SplittableRandom(1)),
                Rules.ALL,
                cluster());
    }

    private Cluster cluster() {
        return (Cluster)
                Proxy.newProxyInstance(
                        Cluster.class.getClassLoader(),
                        new Class<?>[] {Cluster.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("placement")
                                        ? new Elsewhere((BrokerShard) arguments[0])
                                        : method.invoke(Cluster.NONE, arguments));
    }

    private static final class RealTime implements TimeSource {
        @Override
        public long monotonicMs() {
            return System.nanoTime() / 1_000_000;
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMs() {
            return System.currentTimeMillis();
        }
    }

    private Listeners listeners() {
        Inlet[] inlets = new Inlet[loops.count()];
        for (int i = 0; i < inlets.length; i++) {
            inlets[i] = new ShardInlet(broker.shard(i));
        }
        return new Listeners(
                loops,
                inlets,
                admission,
                OverloadSettings.DEFAULTS,
                1 << 20,
                new OutboundBacklogs(loops, 64 << 20),
                new OwnNames("broker1", List.of()),
                FileMemory.unbounded());
    }

    private record ShardInlet(BrokerShard shard) implements Inlet {
        @Override
        public WireListener open(Wire wire) {
            return shard.open(wire);
        }

        @Override
        public void handshakeFailed(
                CloseCause cause, String address, String listener, String why) {}

        @Override
        public Counters counters() {
            return shard.counters();
        }
    }

    /** Every connection goes on elsewhere, where its bytes are sent back. */
    private final class Elsewhere implements Placement {
        private final BrokerShard shard;

        Elsewhere(BrokerShard shard) {
            this.shard = shard;
        }

        @Override
        public Question ask(AuthenticatedConnect connect, Asking asking) {
            asked.incrementAndGet();
            Pipe echo = Echo::new;
            String why = refusal;
            if (why != null) {
                asking.refused(ReasonCode.SERVER_UNAVAILABLE, why);
            } else if (answerAfterMs == 0) {
                asking.elsewhere(echo);
            } else if (answerAfterMs > 0) {
                ShardEventLoop loop = loops.get(shard.index());
                loop.schedule(() -> asking.elsewhere(echo), answerAfterMs, TimeUnit.MILLISECONDS);
            }
            return withdrawn::incrementAndGet;
        }

        @Override
        public boolean passEarlierWill(ClientId clientId, Will will, WillKeeper.Passed then) {
            return false;
        }

        @Override
        public boolean leads(int slot) {
            return false;
        }

        @Override
        public long patienceMs() {
            return 5_000;
        }
    }

    private final class Echo implements WireListener {
        private final Wire client;

        Echo(Wire client) {
            this.client = client;
        }

        @Override
        public void onBytes(ByteBuf in) {
            ByteBuf out = client.allocate(in.readableBytes());
            out.writeBytes(in);
            client.write(out);
            client.flush();
        }

        @Override
        public void onWritable() {}

        @Override
        public void onOverdrawn() {}

        @Override
        public void onClosed() {
            closed.incrementAndGet();
        }
    }

    // ---------------------------------------------------------------- its clients

    private Socket connect(Type type) throws Exception {
        TlsConfig tls =
                type.encrypted()
                        ? new TlsConfig(
                                TestCertificates.writeCertificates(
                                        folder.resolve("cert.pem"), server.certificate()),
                                TestCertificates.writeKey(folder.resolve("key.pem"), server.key()),
                                null,
                                TlsConfig.ClientAuth.NONE,
                                List.of("TLSv1.3"),
                                TlsConfig.Provider.AUTO)
                        : null;
        listeners.bind(ListenersFixture.listener(type, tls));
        listeners.accept();
        return open(type);
    }

    private Socket open(Type type) throws Exception {
        int port = listeners.address("test").getPort();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        if (type.encrypted()) {
            socket = trusting().getSocketFactory().createSocket(socket, "localhost", port, true);
        }
        socket.setSoTimeout(60_000);
        if (type.webSocket()) {
            socket.getOutputStream().write(WebSocketWire.request("/mqtt", "mqtt").getBytes(UTF_8));
            assertThat(WebSocketWire.head(socket)).startsWith("HTTP/1.1 101 ");
        }
        return socket;
    }

    private SSLContext trusting() {
        return TestCertificates.clientContext(authority, null);
    }

    private static void write(Socket socket, Type type, byte[] bytes) throws IOException {
        socket.getOutputStream().write(type.webSocket() ? WebSocketWire.frame(0x82, bytes) : bytes);
    }

    private static byte[] read(Socket socket, Type type, int count) throws IOException {
        if (type.webSocket()) {
            return WebSocketWire.readData(socket, count);
        }
        byte[] read = new byte[count];
        new DataInputStream(socket.getInputStream()).readFully(read);
        return read;
    }

    private static byte[] encode(Packet packet) {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.encode(packet, ProtocolVersion.MQTT_5, out);
        return Arrays.copyOf(out.array(), out.readableBytes());
    }

    private static byte[] connectPacket() {
        return encode(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE));
    }

    private static byte[] publishes(int count, int payloadBytes) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] payload = new byte[payloadBytes];
        for (int i = 1; i <= count; i++) {
            new Random(i).nextBytes(payload);
            all.writeBytes(
                    encode(
                            new Packet.Publish(
                                    Topic.of("t"), 1, false, false, i, Properties.NONE, payload)));
        }
        return all.toByteArray();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private void assertComesBack(Type type, byte[] behind, byte @Nullable [] later)
            throws Exception {
        try (Socket socket = connect(type)) {
            write(socket, type, joined(connectPacket(), behind));
            assertThat(read(socket, type, behind.length)).isEqualTo(behind);
            if (later != null) {
                write(socket, type, later);
                assertThat(read(socket, type, later.length)).isEqualTo(later);
            }
            assertThat(admission.connections()).isEqualTo(1);
        }
        await().untilAsserted(() -> assertThat(closed).hasValue(1));
        assertThat(withdrawn).hasValue(0);
    }

    // ---------------------------------------------------------------- tests

    @ParameterizedTest
    @EnumSource
    void publishes_in_the_same_read_as_the_connect_go_first(Type type) throws Exception {
        assertComesBack(type, publishes(20, 30), publishes(5, 10));
    }

    @ParameterizedTest
    @EnumSource
    void bytes_that_come_while_the_place_is_asked_for_go_in_order(Type type) throws Exception {
        answerAfterMs = 300;
        assertComesBack(type, publishes(20, 30), publishes(5, 10));
    }

    @ParameterizedTest
    @EnumSource
    void half_a_packet_behind_the_connect_goes_first(Type type) throws Exception {
        answerAfterMs = 100;
        byte[] all = publishes(3, 1_000);
        byte[] half = Arrays.copyOf(all, all.length - 500);
        assertComesBack(type, half, Arrays.copyOfRange(all, half.length, all.length));
    }

    @ParameterizedTest
    @EnumSource
    void socket_that_was_not_read_any_more_is_read_again(Type type) throws Exception {
        answerAfterMs = 500;
        assertComesBack(type, publishes(100, 6_000), publishes(5, 10));
    }

    @ParameterizedTest
    @EnumSource
    void sockets_that_end_while_their_places_are_asked_for_leave_nothing(Type type)
            throws Exception {
        answerAfterMs = -1;
        connect(type).close();
        for (int i = 1; i <= 20; i++) {
            int count = i;
            try (Socket socket = open(type)) {
                write(socket, type, joined(connectPacket(), publishes(count, 1_000)));
                await().untilAsserted(() -> assertThat(asked).hasValue(count));
                if (i % 2 == 0) {
                    socket.setSoLinger(true, 0);
                }
            }
        }
        await().untilAsserted(() -> assertThat(withdrawn).hasValue(20));
        assertThat(closed).hasValue(0);
    }

    @Test
    void sockets_that_end_about_when_they_are_placed_leave_nothing() throws Exception {
        answerAfterMs = 5;
        Type type = Type.TCP;
        connect(type).close();
        for (int i = 1; i <= 60; i++) {
            int before = asked.get();
            try (Socket socket = open(type)) {
                write(socket, type, joined(connectPacket(), publishes(3, 100)));
                if (i % 3 == 0) {
                    await().untilAsserted(() -> assertThat(asked).hasValueGreaterThan(before));
                } else {
                    Thread.sleep(i % 11);
                }
                if (i % 2 == 0) {
                    socket.setSoLinger(true, 0);
                }
            }
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> asked.get() - withdrawn.get() == closed.get());
        }
        assertThat(closed.get()).isPositive();
    }

    @Test
    void log_names_the_client_of_a_connection_that_is_not_served_here() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(ConnectionLog.class);
        Level before = log.getLevel();
        log.setLevel(Level.DEBUG);
        log.addAppender(lines);
        try {
            answerAfterMs = -1;
            try (Socket socket = connect(Type.TCP)) {
                write(socket, Type.TCP, connectPacket());
                await().untilAsserted(() -> assertThat(asked).hasValue(1));
            }
            await().untilAsserted(() -> assertThat(withdrawn).hasValue(1));
            refusal = "no node leads it";
            try (Socket socket = open(Type.TCP)) {
                write(socket, Type.TCP, connectPacket());
                assertThat(socket.getInputStream().readAllBytes()).startsWith(0x20);
            }
            refusal = null;
            answerAfterMs = 0;
            try (Socket socket = open(Type.TCP)) {
                write(socket, Type.TCP, connectPacket());
                await().untilAsserted(() -> assertThat(asked).hasValue(3));
            }
            await().untilAsserted(() -> assertThat(closed).hasValue(1));
        } finally {
            log.detachAppender(lines);
            log.setLevel(before);
        }
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .anyMatch(line ->
                        line.startsWith("The connection of client c from 127.0.0.1:")
                                && line.contains("before the node that serves it"))
                .anyMatch(line ->
                        line.startsWith("Refused the CONNECT of c from 127.0.0.1:")
                                && line.endsWith(
                                        "on listener test: server unavailable,"
                                                + " no node leads it"))
                .anyMatch(line ->
                        line.startsWith("Client c connected from 127.0.0.1:")
                                && line.endsWith("on listener test: another node serves it"));
    }
}
