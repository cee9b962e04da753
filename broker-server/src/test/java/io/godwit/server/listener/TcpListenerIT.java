package io.godwit.server.listener;

import static io.godwit.server.listener.ListenersFixture.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.loop.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpListenerIT {
    private static final byte[] CONNECT_5 = {
        0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 0, 0, 0, 0
    };
    private static final byte[] CONNECT_311 = {
        0x10, 12, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 0
    };
    private static final byte[] CONNECT_31 = {
        0x10, 15, 0, 6, 'M', 'Q', 'I', 's', 'd', 'p', 3, 2, 0, 0, 0, 1, 'a'
    };

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static byte[] read(Socket socket, int count) throws IOException {
        byte[] bytes = new byte[count];
        new DataInputStream(socket.getInputStream()).readFully(bytes);
        return bytes;
    }

    @Test
    void listener_that_gets_a_wire_hears_all_that_follows_and_at_once_that_it_is_gone()
            throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TCP, null));
            Heard heard = new Heard();
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(1);
                assertThat(read(socket, 1)).containsExactly(1);
                Wire wire = fixture.wires.getFirst();
                CountDownLatch replaced = new CountDownLatch(1);
                fixture.execute(
                        wire,
                        () -> {
                            wire.replaceListener(heard);
                            replaced.countDown();
                        });
                assertThat(replaced.await(60, TimeUnit.SECONDS)).isTrue();
                socket.getOutputStream().write(new byte[100]);
                await().untilAtomic(heard.bytes, is(100));
                assertThat(heard.closed).hasValue(0);
            }
            await().untilAtomic(heard.closed, is(1));
            Heard late = new Heard();
            Wire gone = fixture.wires.getFirst();
            fixture.execute(gone, () -> gone.replaceListener(late));
            await().untilAtomic(late.closed, is(1));
            assertThat(fixture.closed).hasValue(0);
        }
    }

    private static final class Heard implements WireListener {
        final AtomicInteger bytes = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public void onBytes(ByteBuf in) {
            bytes.addAndGet(in.readableBytes());
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

    @ParameterizedTest
    @EnumSource(Transport.class)
    void bytes_arrive_whole_and_in_order_on_every_transport(Transport transport) throws Exception {
        try (var fixture = new ListenersFixture(transport, new Admission(10, 1))) {
            int port = fixture.open(listener(Type.TCP, null));
            byte[] sent = new byte[3 << 20];
            new Random(1).nextBytes(sent);
            try (Socket socket = connect(port)) {
                Thread writer =
                        Thread.ofVirtual()
                                .start(() -> {
                                    try {
                                        socket.getOutputStream().write(sent);
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                });
                assertThat(read(socket, sent.length)).isEqualTo(sent);
                writer.join();
                Wire wire = fixture.wires.getFirst();
                assertThat(wire.remoteAddress()).isEqualTo("127.0.0.1:" + socket.getLocalPort());
                assertThat(wire.isLoopback()).isTrue();
                assertThat(wire.listener()).isEqualTo("test");
                assertThat(fixture.closed).hasValue(0);
            }
            await().untilAtomic(fixture.closed, is(1));
        }
    }

    @Test
    void connections_spread_over_the_shards() throws Exception {
        try (var fixture = new ListenersFixture(Transport.NIO, new Admission(10, 1))) {
            int port = fixture.open(listener(Type.TCP, null));
            List<String> threads = new CopyOnWriteArrayList<>();
            fixture.onBytes =
                    (wire, in) -> {
                        in.skipBytes(in.readableBytes());
                        threads.add(Thread.currentThread().toString());
                        wire.close();
                    };
            for (int i = 0; i < 4; i++) {
                try (Socket socket = connect(port)) {
                    socket.getOutputStream().write(1);
                    assertThat(socket.getInputStream().read()).isEqualTo(-1);
                }
            }
            assertThat(threads).hasSize(4);
            assertThat(threads.stream().distinct()).hasSize(2);
        }
    }

    @Test
    void a_second_broker_on_the_same_port_is_told_listener_and_address() throws Exception {
        try (var first = new ListenersFixture();
                var second = new ListenersFixture()) {
            int port = first.open(listener(Type.TCP, null));

            assertThatThrownBy(() -> second.open(listener(Type.TCP, null, port)))
                    .hasMessage(
                            "listeners.test.bind: can't listen on 127.0.0.1:"
                                    + port
                                    + ": the address is in use; is another broker running?");
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(7);
                assertThat(socket.getInputStream().read()).isEqualTo(7);
            }
        }
    }

    @Test
    void another_program_on_the_port_is_told_as_well() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var fixture = new ListenersFixture(Transport.NIO, new Admission(1, 1))) {
            assertThatThrownBy(() -> fixture.open(listener(Type.TCP, null, other.getLocalPort())))
                    .hasMessageContaining("127.0.0.1:" + other.getLocalPort())
                    .hasMessageContaining("in use");
        }
    }

    @Test
    void what_was_written_before_a_close_arrives_although_the_peer_goes_on_sending()
            throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TCP, null));
            byte[] farewell = new byte[100_000];
            new Random(2).nextBytes(farewell);
            fixture.onBytes =
                    (wire, in) -> {
                        in.skipBytes(in.readableBytes());
                        wire.write(Unpooled.directBuffer().writeBytes(farewell));
                        wire.close();
                    };
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(new byte[1 << 19]);
                assertThat(read(socket, farewell.length)).isEqualTo(farewell);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            await().untilAtomic(fixture.closed, is(1));
        }
    }

    @Test
    void a_peer_that_neither_reads_nor_closes_is_closed_all_the_same() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TCP, null));
            fixture.onBytes =
                    (wire, in) -> {
                        in.skipBytes(in.readableBytes());
                        wire.close();
                    };
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(1);
                await().untilAtomic(fixture.closed, is(1));
            }
        }
    }

    @Test
    void a_connection_that_is_not_read_holds_its_peer_up_and_goes_on_later() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TCP, null));
            CountDownLatch paused = new CountDownLatch(1);
            fixture.onBytes =
                    (wire, in) -> {
                        ByteBuf out = wire.allocate(in.readableBytes()).writeBytes(in);
                        wire.write(out);
                        wire.flush();
                        if (paused.getCount() == 1) {
                            wire.read(false);
                            paused.countDown();
                        }
                    };
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(1);
                assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(read(socket, 1)).containsExactly(1);
                socket.getOutputStream().write(2);
                socket.setSoTimeout(200);
                assertThatThrownBy(() -> read(socket, 1))
                        .isInstanceOf(SocketTimeoutException.class);

                Wire wire = fixture.wires.getFirst();
                fixture.execute(wire, () -> wire.read(true));
                socket.setSoTimeout(60_000);
                assertThat(read(socket, 1)).containsExactly(2);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void who_is_not_read_and_leaves_is_read_later_and_piece_by_piece(Transport transport)
            throws Exception {
        int sent = 3 << 20;
        try (var fixture = new ListenersFixture(transport, new Admission(2, 1))) {
            int port = fixture.open(listener(Type.TCP, null));
            AtomicInteger received = new AtomicInteger();
            AtomicInteger largest = new AtomicInteger();
            CountDownLatch paused = new CountDownLatch(1);
            fixture.onBytes =
                    (wire, in) -> {
                        largest.accumulateAndGet(in.readableBytes(), Math::max);
                        received.addAndGet(in.readableBytes());
                        in.skipBytes(in.readableBytes());
                        if (paused.getCount() == 1) {
                            wire.read(false);
                            paused.countDown();
                        }
                    };
            try (Socket socket = new Socket()) {
                socket.setSendBufferSize(4 << 20);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                socket.getOutputStream().write(1);
                assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
                socket.getOutputStream().write(new byte[sent]); // into the kernel's buffers
            } // and gone
            Wire wire = fixture.wires.getFirst();
            fixture.pendingBytes(wire); // a turn has passed
            assertThat(received).hasValue(1);
            assertThat(fixture.closed).hasValue(0);

            fixture.execute(wire, () -> wire.read(true));

            await().untilAtomic(fixture.closed, is(1));
            assertThat(received).hasValue(sent + 1);
            assertThat(largest).hasValueLessThanOrEqualTo(64 << 10);
        }
    }

    @Test
    void a_refusal_that_has_ended_makes_room_for_the_next() throws Exception {
        try (var fixture = new ListenersFixture(Transport.best(), new Admission(0, 1))) {
            int port = fixture.open(listener(Type.TCP, null));
            for (int i = 0; i < 5; i++) {
                // While the one before has not quite ended, a connection is closed without a word.
                await().until(() -> isRefusedWithReason(port));
            }
        }
    }

    private static boolean isRefusedWithReason(int port) throws IOException {
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(CONNECT_311);
            return socket.getInputStream().readAllBytes().length == 4;
        } catch (SocketException closedAtOnce) {
            return false;
        }
    }

    @Test
    void connections_beyond_the_limit_get_a_connack_of_their_version() throws Exception {
        Admission admission = new Admission(1, 3);
        try (var fixture = new ListenersFixture(Transport.best(), admission)) {
            int port = fixture.open(listener(Type.TCP, null));
            try (Socket first = connect(port)) {
                first.getOutputStream().write(1);
                assertThat(first.getInputStream().read()).isEqualTo(1);
                try (Socket v5 = connect(port);
                        Socket v311 = connect(port);
                        Socket v31 = connect(port)) {
                    for (byte b : CONNECT_5) {
                        v5.getOutputStream().write(b); // in any pieces
                    }
                    assertThat(v5.getInputStream().readAllBytes())
                            .containsExactly(0x20, 3, 0, 0x97, 0);
                    v311.getOutputStream().write(CONNECT_311);
                    assertThat(v311.getInputStream().readAllBytes()).containsExactly(0x20, 2, 0, 3);
                    v31.getOutputStream().write(CONNECT_31);
                    assertThat(v31.getInputStream().readAllBytes()).containsExactly(0x20, 2, 0, 3);
                }
            }
            await().until(() -> fixture.total(Metric.REFUSED_CONNECTIONS_LIMIT) == 3);
            assertThat(fixture.wires).hasSize(1);
            await().until(() -> admission.connections() == 0);
            try (Socket next = connect(port)) {
                next.getOutputStream().write(9);
                assertThat(next.getInputStream().read()).isEqualTo(9);
            }
        }
    }

    @Test
    void beyond_the_refusals_under_way_connections_are_closed_at_once() throws Exception {
        try (var fixture = new ListenersFixture(Transport.best(), new Admission(1, 1))) {
            int port = fixture.open(listener(Type.TCP, null));
            List<Socket> sockets = new ArrayList<>();
            try (Socket first = connect(port)) {
                first.getOutputStream().write(1);
                assertThat(first.getInputStream().read()).isEqualTo(1);
                try (Socket refused = connect(port)) {
                    for (int i = 0; i < 5; i++) {
                        sockets.add(connect(port));
                    }
                    // One of the six is being refused politely; which one is up to the kernel.
                    await().until(() ->
                            sockets.stream().filter(TcpListenerIT::isClosed).count() >= 4);
                    assertThat(refused.isConnected()).isTrue();
                }
            } finally {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
            assertThat(fixture.total(Metric.REFUSED_CONNECTIONS_LIMIT)).isEqualTo(6);
        }
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(50);
            return socket.getInputStream().read() == -1;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void a_fault_closes_its_connection_only() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TCP, null));
            ListenersFixture.OnBytes echo = fixture.onBytes;
            fixture.onBytes =
                    (wire, in) -> {
                        if (in.getByte(in.readerIndex()) == 13) {
                            throw new IllegalStateException("planted by the test");
                        }
                        echo.onBytes(wire, in);
                    };
            try (Socket good = connect(port);
                    Socket bad = connect(port)) {
                bad.getOutputStream().write(13);
                assertThat(isClosed(bad)).isTrue();
                good.getOutputStream().write(5);
                assertThat(good.getInputStream().read()).isEqualTo(5);
            }
            assertThat(fixture.total(Metric.FAULTS)).isEqualTo(1);
        }
    }
}
