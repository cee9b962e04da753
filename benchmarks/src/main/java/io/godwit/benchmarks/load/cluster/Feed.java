package io.godwit.benchmarks.load.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one stream over one connection that is there to stay: QoS 1 or 2, so many
 * unacknowledged at most. A thread of its own reads the acknowledgements; one thread publishes.
 */
final class Feed implements Closeable {
    private static final long LIMIT_SECONDS = 30;

    /**
     * @param number of the stream, which each message carries
     */
    record Stream(int number, String topic, int qos, int payloadBytes) {}

    private final Stream stream;
    private final byte[] topic;
    private final Client client;
    private final int window;
    private final Semaphore room;
    private final AtomicLong acknowledged = new AtomicLong();
    private long published;
    private volatile long lastAckNanos = System.nanoTime();
    private volatile long longestGapNanos;
    private volatile @Nullable IOException failure;

    Feed(InetSocketAddress broker, String clientId, Stream stream, int window) throws IOException {
        this.stream = stream;
        this.window = window;
        topic = stream.topic().getBytes(UTF_8);
        room = new Semaphore(window);
        client = Client.connect(broker, Client.Setup.clean(clientId));
        client.timeoutMs(0);
        Thread.ofVirtual().name(clientId).start(this::readAnswers);
    }

    Stream stream() {
        return stream;
    }

    /** Publishes one message, as soon as the window has room. */
    void publish() throws IOException {
        publish(1);
    }

    /** Publishes so many. */
    void publish(int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            if (!room.tryAcquire()) {
                client.flush();
                acquire(1);
            }
            if (published == 0 || acknowledged.get() == published) lastAckNanos = System.nanoTime();
            Message message =
                    Message.numbered(
                            topic,
                            stream.qos(),
                            stream.number(),
                            published++,
                            stream.payloadBytes());
            client.publish(message, false);
        }
        client.flush();
    }

    /** Returns when all that it published is acknowledged. */
    void awaitAcknowledged() throws IOException {
        client.flush();
        acquire(window);
        room.release(window);
    }

    /** Messages published so far. */
    long published() {
        return published;
    }

    /** Messages acknowledged so far, at QoS 2 by PUBCOMP. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** The longest time in which nothing was acknowledged although something could be. */
    long longestGapNanos() {
        boolean waits = acknowledged.get() < published;
        return Math.max(longestGapNanos, waits ? System.nanoTime() - lastAckNanos : 0);
    }

    private void acquire(int permits) throws IOException {
        try {
            for (long s = 0; !room.tryAcquire(permits, 1, TimeUnit.SECONDS); s++) {
                IOException failed = failure;
                if (failed != null) throw new IOException(stream + " failed", failed);
                if (s == LIMIT_SECONDS) throw new IOException(stuck());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String stuck() {
        return "%s: nothing acknowledged for %d s, %d of %d are"
                .formatted(stream, LIMIT_SECONDS, acknowledged.get(), published);
    }

    private void readAnswers() {
        try {
            while (true) {
                Packet packet = client.read();
                switch (packet.type()) {
                    case Packet.PUBACK, Packet.PUBCOMP -> onDone();
                    case Packet.PUBREC -> client.acknowledge(Packet.PUBREL, packet.packetId());
                    default -> throw new IOException("packet " + packet.first());
                }
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void onDone() {
        long now = System.nanoTime();
        longestGapNanos = Math.max(longestGapNanos, now - lastAckNanos);
        lastAckNanos = now;
        acknowledged.incrementAndGet();
        room.release();
    }

    @Override
    public void close() {
        client.close();
    }
}
