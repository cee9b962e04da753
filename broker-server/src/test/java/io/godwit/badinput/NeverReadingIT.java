package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.clients.GodwitProcess;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send and never read. */
@Tag("alone")
@Timeout(240)
class NeverReadingIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int HEAP_MIB = 192;
    private static final int RUNTIME_MIB = 250;
    private static final int SMALL_BUFFER = 16 << 10;

    @Test
    void a_subscriber_that_never_reads_loses_qos_0_and_delays_nobody() throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().heapMib(HEAP_MIB).start();
                Canary canary = new Canary(broker.port());
                RawClient deaf = RawClient.open(broker.port(), SMALL_BUFFER);
                RawClient reader = RawClient.connected(broker.port(), "reader");
                RawClient publisher = RawClient.connected(broker.port(), "publisher")) {
            deaf.connect("deaf");
            deaf.subscribe("flood", 0);
            reader.subscribe("end", 1);
            byte[] message = Bytes.publish("flood", new byte[10_000], 0, 0);
            int count = 50_000; // half a gigabyte
            for (int i = 0; i < count; i++) {
                publisher.send(message);
            }
            publisher.send(Bytes.publish("end", new byte[1], 1, 1));
            publisher.readUntil(Bytes.PUBACK);
            reader.readUntil(Bytes.PUBLISH);

            // The shard of the deaf one may be behind that of the reader.
            await().until(() -> broker.counter("dropped.qos0.slow") >= count * 9L / 10);
            assertThat(broker.counter("dropped.qos0.slow")).isLessThanOrEqualTo(count);
            assertThat(broker.residentMib()).isLessThan(2 * HEAP_MIB + RUNTIME_MIB);
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void a_subscriber_that_never_reads_fills_its_queue_and_no_more() throws Exception {
        int window = 100;
        int queue = 10_000;
        try (GodwitProcess broker = new GodwitProcess.Setup().heapMib(HEAP_MIB).start();
                Canary canary = new Canary(broker.port());
                RawClient deaf = RawClient.open(broker.port(), SMALL_BUFFER);
                RawClient publisher = RawClient.connected(broker.port(), "publisher")) {
            deaf.connect("deaf");
            deaf.subscribe("flood", 1);
            int count = 30_000;
            for (int sent = 0; sent < count; sent += window) {
                for (int i = 0; i < window; i++) {
                    publisher.send(Bytes.publish("flood", new byte[100], 1, 1 + i));
                }
                for (int i = 0; i < window; i++) {
                    publisher.readUntil(Bytes.PUBACK);
                }
            }
            // What is in flight stands beside the queue: at most its window, 1 024.
            assertThat(broker.counter("dropped.queue.full"))
                    .isBetween((long) count - queue - 1_024, (long) count - queue);
            assertThat(broker.residentMib()).isLessThan(2 * HEAP_MIB + RUNTIME_MIB);
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void a_publisher_that_never_reads_its_pubacks_is_no_longer_read() throws Exception {
        byte[] thousand =
                Bytes.concat(
                        IntStream.rangeClosed(1, 1_000)
                                .mapToObj(id -> Bytes.publish("acks", new byte[1], 1, id))
                                .toArray(byte[][]::new));
        int publishBytes = thousand.length / 1_000;
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .heapMib(HEAP_MIB)
                                .set("listeners.mqtt.send-buffer=64KiB")
                                .start();
                Canary canary = new Canary(broker.port());
                SocketChannel deaf = SocketChannel.open()) {
            deaf.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_BUFFER);
            deaf.connect(new InetSocketAddress("127.0.0.1", broker.port()));
            deaf.write(ByteBuffer.wrap(Bytes.connect("deaf", 0)));
            deaf.configureBlocking(false);
            long sent =
                    sendUntilStuck(
                            deaf, thousand, 200L << 20, () -> broker.counter("reads.paused") > 0);

            long taken = broker.counter("publish.received");
            assertThat(taken).as("%d bytes sent", sent).isLessThan(sent / publishBytes);
            assertThat(broker.counter("reads.paused")).isPositive();
            assertThat(broker.residentMib()).isLessThan(2 * HEAP_MIB + RUNTIME_MIB);
            canary.assertUnharmed(SONGS);

            // When it reads, every PUBACK comes, and what the kernels held is taken too.
            deaf.configureBlocking(true);
            readPubacks(deaf.socket(), sent / publishBytes);
            assertThat(broker.counter("publish.received")).isGreaterThan(taken);
        }
    }

    /**
     * Sends blocks until the socket took nothing for a second, and not since the broker is busy;
     * returns the bytes that it took.
     */
    private static long sendUntilStuck(
            SocketChannel channel, byte[] block, long bytesMax, BooleanSupplier isPaused)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(block);
        long sent = 0;
        long lastTaken = System.nanoTime();
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_WRITE);
            while (System.nanoTime() - lastTaken < 1_000_000_000L || !isPaused.getAsBoolean()) {
                if (!bytes.hasRemaining()) {
                    bytes.rewind();
                }
                int taken = channel.write(bytes);
                sent += taken;
                if (taken > 0) {
                    lastTaken = System.nanoTime();
                } else {
                    selector.select(100);
                }
                assertThat(sent).as("bytes that the broker took").isLessThan(bytesMax);
            }
        }
        return sent;
    }

    /** Reads the CONNACK and this many PUBACKs, whose ids count from 1 to 1 000 and again. */
    private static void readPubacks(Socket socket, long count) throws IOException {
        socket.setSoTimeout((int) LIMIT.toMillis());
        DataInputStream in =
                new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64 << 10));
        assertThat(in.readUnsignedByte()).isEqualTo(Bytes.CONNACK);
        in.skipNBytes(in.readUnsignedByte());
        for (long i = 0; i < count; i++) {
            int type = in.readUnsignedByte();
            int length = in.readUnsignedByte();
            int packetId = in.readUnsignedShort();
            in.skipNBytes(length - 2L); // 0x10: nobody had subscribed
            if (type != Bytes.PUBACK || packetId != 1 + i % 1_000) {
                throw new AssertionError("PUBACK " + i + ": " + type + " for " + packetId);
            }
        }
    }
}
