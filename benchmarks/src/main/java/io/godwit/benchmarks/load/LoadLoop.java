package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One thread, one selector, all connections of a round. It opens them, then runs parts: a flood of
 * a number of messages, or a time at a given rate. A part ends when everything expected has come,
 * or when nothing has moved for a while; then what is missing is lost.
 */
final class LoadLoop implements Closeable {
    private static final int READ_BUFFER_BYTES = 256 * 1024;

    /** Connections that wait for an answer, unless a scenario wants more. */
    static final int CONNECTS_AT_ONCE = 64;

    private static final long CONNECT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long LATENCY_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Client ports come from several loopback addresses: one has 28 000 of them. */
    private static final int SOURCES = 8;

    private final Selector selector = Selector.open();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BUFFER_BYTES);
    private final InetSocketAddress broker;
    private final Wires wires;
    private final List<Link> links = new ArrayList<>();
    private final Histogram latency = new Histogram(LATENCY_MAX_NANOS, 3);
    private int ready;
    private long budget;
    private long delivered;
    private long repeated;
    private @Nullable String fault;

    /** All clients speak plain MQTT. */
    LoadLoop(InetSocketAddress broker) throws IOException {
        this(broker, Transport.PLAIN);
    }

    LoadLoop(InetSocketAddress broker, Transport transport) throws IOException {
        this.broker = broker;
        wires = new Wires(transport);
    }

    /** Opens the connections and returns when the broker has granted all their subscriptions. */
    void connect(List<? extends Link> wanted) throws IOException {
        connect(wanted, index -> broker);
    }

    /** The same, with an address for each index of the list. */
    void connect(List<? extends Link> wanted, IntFunction<InetSocketAddress> brokers)
            throws IOException {
        connect(wanted, brokers, CONNECTS_AT_ONCE);
    }

    /** The same, with so many of them at once. */
    void connect(List<? extends Link> wanted, IntFunction<InetSocketAddress> brokers, int atOnce)
            throws IOException {
        int goal = ready + wanted.size();
        int opened = 0;
        long limit = System.nanoTime() + CONNECT_LIMIT_NANOS;
        while (ready < goal) {
            while (opened < wanted.size() && goal - wanted.size() + opened - ready < atOnce) {
                InetSocketAddress at = brokers.apply(opened);
                open(wanted.get(opened++), at);
            }
            turn(100);
            if (fault != null) throw new IOException(fault);
            if (System.nanoTime() > limit)
                throw new IOException((goal - ready) + " connections got no answer in time");
        }
    }

    /** Begins to open one more connection. */
    void open(Link link, InetSocketAddress at) throws IOException {
        links.add(link);
        link.open(at, new InetSocketAddress("127.0.0." + (1 + links.size() % SOURCES), 0));
    }

    /**
     * Runs until {@code done} says so, or until nothing was sent or delivered for {@code
     * quietNanos}.
     *
     * @param messages budget of the unpaced publishers
     * @param expected deliveries
     * @param eachTurn called once per turn, at least each millisecond if {@code ticking}
     */
    PartResult run(
            long messages,
            long expected,
            boolean ticking,
            long quietNanos,
            Turn eachTurn,
            BooleanSupplier done) {
        budget = messages;
        latency.reset();
        long deliveredBefore = delivered;
        long repeatedBefore = repeated;
        long cpuBefore = threadCpuNanos();
        long start = System.nanoTime();
        long lastMove = start;
        Thread ticker = ticking ? startTicker() : null;
        try {
            while (fault == null
                    && !done.getAsBoolean()
                    && System.nanoTime() - lastMove < quietNanos) {
                long deliveredYet = delivered;
                long budgetYet = budget;
                eachTurn.run(System.nanoTime());
                turn(ticking ? 100 : 5);
                if (delivered != deliveredYet || budget != budgetYet) lastMove = System.nanoTime();
            }
        } catch (IOException e) {
            fail(e.toString());
        } finally {
            if (ticker != null) ticker.interrupt();
        }
        double busy = (double) (threadCpuNanos() - cpuBefore) / (System.nanoTime() - start);
        return new PartResult(
                expected,
                delivered - deliveredBefore,
                repeated - repeatedBefore,
                lastMove - start,
                busy,
                latency.copy(),
                fault);
    }

    /** What a caller does in each turn. */
    interface Turn {
        void run(long nowNanos) throws IOException;
    }

    Selector selector() {
        return selector;
    }

    Transport transport() {
        return wires.transport();
    }

    Wires wires() {
        return wires;
    }

    /** The buffer for the read at hand; its content is not kept. */
    ByteBuffer readBuffer() {
        return readBuffer;
    }

    /** Messages that unpaced publishers may still send, all together. */
    long budget() {
        return budget;
    }

    void spend(int messages) {
        budget -= messages;
    }

    void onLinkReady() {
        ready++;
    }

    void onDelivered() {
        delivered++;
    }

    void onRepeated() {
        repeated++;
    }

    /** Messages delivered since the loop began. */
    long delivered() {
        return delivered;
    }

    void onSample(long sentNanos) {
        latency.recordValue(Math.clamp(System.nanoTime() - sentNanos, 0, LATENCY_MAX_NANOS));
    }

    /** Ends the part; the round doesn't count. */
    void fail(String text) {
        if (fault == null) fault = text;
    }

    @Override
    public void close() throws IOException {
        links.forEach(Link::close);
        wires.release();
        selector.close();
    }

    private void turn(long timeoutMs) throws IOException {
        selector.select(this::onReady, timeoutMs);
    }

    private void onReady(SelectionKey key) {
        Link link = (Link) key.attachment();
        try {
            link.onReady(key);
        } catch (IOException e) {
            key.cancel();
            link.onFault(e);
        }
    }

    /**
     * Wakes the selector at each tick: its own time-out is too coarse, and spinning would take a
     * core from the broker.
     */
    private Thread startTicker() {
        Thread ticker =
                new Thread(() -> {
                    long next = System.nanoTime();
                    while (!Thread.currentThread().isInterrupted()) {
                        next += Pace.TICK_NANOS;
                        LockSupport.parkNanos(next - System.nanoTime());
                        selector.wakeup();
                    }
                });
        ticker.setDaemon(true);
        ticker.start();
        return ticker;
    }

    private static long threadCpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
