package io.godwit.badinput;

import io.godwit.badinput.RawClient.Received;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A publisher and a subscriber at QoS 1 that do nothing wrong: a message each few milliseconds, by
 * the clock and not by the answers, so that a broker that stands still is measured as long as it
 * does.
 */
final class GoodPair implements AutoCloseable {
    private static final String TOPIC = "good/pair";
    private static final long PAUSE_NANOS = 5_000_000;
    private static final int UNACKNOWLEDGED_MAX = 1_000;

    /** How long messages took from the moment at which they were due. */
    record Latency(int messages, double p99Ms, double worstMs) {}

    private final RawClient publisher;
    private final RawClient subscriber;
    private final Thread[] threads;
    private final AtomicInteger unacknowledged = new AtomicInteger();
    private volatile boolean stopped;
    private volatile @Nullable Throwable died;
    private long[] nanos = new long[1 << 12]; // this object guards it
    private int count;

    /** Due, and not there yet; 0 for none. Nobody but the subscriber's thread moves it on. */
    private volatile long lastDue = System.nanoTime();

    GoodPair(int port) throws IOException {
        subscriber = RawClient.connected(port, "good-subscriber");
        subscriber.subscribe(TOPIC, 1);
        publisher = RawClient.connected(port, "good-publisher");
        threads =
                new Thread[] {
                    start("pair-publisher", this::publish),
                    start("pair-acknowledgements", this::takeAcknowledgements),
                    start("pair-subscriber", this::receive)
                };
    }

    private interface Work {
        void run() throws IOException;
    }

    private Thread start(String name, Work work) {
        return Thread.ofPlatform()
                .name(name)
                .priority(Thread.MAX_PRIORITY)
                .start(() -> {
                    try {
                        work.run();
                    } catch (IOException | RuntimeException | AssertionError e) {
                        if (!stopped && died == null) {
                            died = e;
                        }
                    }
                });
    }

    private void publish() throws IOException {
        long due = System.nanoTime();
        int packetId = 0;
        while (!stopped) {
            due += PAUSE_NANOS;
            while (System.nanoTime() - due < 0 || unacknowledged.get() >= UNACKNOWLEDGED_MAX) {
                LockSupport.parkNanos(
                        Math.max(100_000, Math.min(PAUSE_NANOS, due - System.nanoTime())));
                if (stopped) {
                    return;
                }
            }
            packetId = packetId % 0xFFFF + 1;
            unacknowledged.incrementAndGet();
            byte[] payload = ByteBuffer.allocate(Long.BYTES).putLong(due).array();
            publisher.send(Bytes.publish(TOPIC, payload, 1, packetId));
        }
    }

    private void takeAcknowledgements() throws IOException {
        while (!stopped) {
            publisher.readUntil(Bytes.PUBACK);
            unacknowledged.decrementAndGet();
        }
    }

    private void receive() throws IOException {
        while (!stopped) {
            Received message = subscriber.readUntil(Bytes.PUBLISH);
            subscriber.send(Bytes.puback(message.publishId()));
            byte[] body = message.body();
            long due = ByteBuffer.wrap(body).getLong(body.length - Long.BYTES);
            lastDue = due;
            add(System.nanoTime() - due);
        }
    }

    private synchronized void add(long took) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = took;
    }

    /** Of the messages that came since this was asked before; what is overdue counts as one. */
    synchronized Latency sinceLast() {
        long overdue = System.nanoTime() - lastDue - PAUSE_NANOS;
        if (overdue > 10 * PAUSE_NANOS) {
            add(overdue);
        }
        Arrays.sort(nanos, 0, count);
        Latency latency =
                count == 0
                        ? new Latency(0, Double.MAX_VALUE, Double.MAX_VALUE)
                        : new Latency(
                                count,
                                nanos[Math.min(count - 1, count * 99 / 100)] / 1e6,
                                nanos[count - 1] / 1e6);
        count = 0;
        return latency;
    }

    /** Why it could not go on; null while it does. */
    @Nullable Throwable died() {
        return died;
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        publisher.close();
        subscriber.close();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
