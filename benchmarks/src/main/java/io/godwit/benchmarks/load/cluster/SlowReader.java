package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Filling;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A transient subscriber that takes one message, waits a while, acknowledges it, and only then
 * reads on. Its socket's buffer is small, so the broker has what waits.
 */
final class SlowReader implements Closeable {
    private static final int RECEIVE_BUFFER_BYTES = 64 * 1024;

    private final Client client;
    private final long pauseMs;
    private final History history = new History();
    private volatile long lastNanos = System.nanoTime();
    private volatile long longestGapNanos;
    private volatile boolean hurries;
    private volatile @Nullable IOException failure;

    SlowReader(InetSocketAddress broker, String id, String filter, long pauseMs)
            throws IOException {
        this.pauseMs = pauseMs;
        client = Client.connect(broker, new Client.Setup(id, true, 10_000, RECEIVE_BUFFER_BYTES));
        client.subscribe(1, filter, 1);
        client.read(Packet.SUBACK);
        client.timeoutMs(0);
        Thread.ofVirtual().name(id).start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Packet publish = client.read(Packet.PUBLISH);
                long now = System.nanoTime();
                longestGapNanos = Math.max(longestGapNanos, now - lastNanos);
                history.received(Message.number(publish));
                if (!hurries) Filling.pause(pauseMs);
                client.acknowledge(Packet.PUBACK, publish.packetId());
                lastNanos = System.nanoTime();
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    History history() {
        return history;
    }

    /** The longest time for which it waited for a message. */
    long longestGapNanos() {
        return Math.max(longestGapNanos, System.nanoTime() - lastNanos);
    }

    /** Why its connection has ended; null = it has not. */
    @Nullable IOException failure() {
        return failure;
    }

    /** From now on it takes what comes. */
    void hurry() {
        hurries = true;
    }

    @Override
    public void close() {
        client.close();
    }
}
