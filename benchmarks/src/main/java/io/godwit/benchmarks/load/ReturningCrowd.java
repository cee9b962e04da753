package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Known clients that connect at one moment. Who is refused or closed tries again, after 1, 2, 4, 8,
 * 16 and then each time 32 s.
 */
final class ReturningCrowd implements Closeable {
    private static final int TRIES_DOUBLED = 5;
    private static final int KEEP_ALIVE_SECONDS = 3_600;

    private final BrokerProcess broker;
    private final KnownClients.Stored stored;
    private final int clients;
    private final LoadLoop loop;
    private final PriorityQueue<Attempt> due =
            new PriorityQueue<>(Comparator.comparingLong(a -> a.dueNanos));
    private int back;
    private int refused;
    private int broken;

    /**
     * They came back.
     *
     * @param back clients that were let in
     * @param seconds from the first connection until the last of them was
     * @param cpuSeconds of the broker meanwhile
     * @param refused CONNACKs that refused one
     * @param broken connections that ended without an answer
     * @param loadBusy cores that the load's thread used
     */
    record Return(
            int back,
            double seconds,
            double cpuSeconds,
            int refused,
            int broken,
            double loadBusy) {}

    ReturningCrowd(BrokerProcess broker, KnownClients.Stored stored, int clients)
            throws IOException {
        this.broker = broker;
        this.stored = stored;
        this.clients = clients;
        loop = new LoadLoop(broker.loadAddress(), broker.transport());
    }

    static String userName(KnownClients.Stored stored, int number) {
        return "%s-%08d".formatted(stored.name().toLowerCase(Locale.ROOT), number);
    }

    /** Lets them connect, a few at a time, and leave: what can be remembered of them is. */
    static void introduce(BrokerProcess broker, KnownClients.Stored stored, int clients)
            throws IOException {
        try (LoadLoop loop = new LoadLoop(broker.loadAddress(), broker.transport())) {
            loop.connect(
                    IntStream.range(0, clients)
                            .mapToObj(n -> new Caller(loop, userName(stored, n), stored.secret()))
                            .toList());
        }
    }

    /**
     * Lets all connect at once.
     *
     * @param secondsMax returns then, whoever is not back
     */
    Return comeBack(double secondsMax) throws IOException {
        long cpu = ProcFs.cpuMicros(broker.pid());
        long start = System.nanoTime();
        long limit = start + (long) (secondsMax * 1e9);
        for (int n = 0; n < clients; n++) due.add(new Attempt(n, 0, start));
        long[] lastNanos = {start};
        int[] seen = {0};
        PartResult part =
                loop.run(
                        0,
                        0,
                        true,
                        Long.MAX_VALUE,
                        now -> {
                            openDue(now);
                            if (back > seen[0]) lastNanos[0] = now;
                            seen[0] = back;
                        },
                        () -> back == clients || System.nanoTime() > limit);
        long end = back == clients ? System.nanoTime() : lastNanos[0];
        if (part.fault() != null) throw new IOException(part.fault());
        Return result =
                new Return(
                        back,
                        (end - start) / 1e9,
                        (ProcFs.cpuMicros(broker.pid()) - cpu) / 1e6,
                        refused,
                        broken,
                        part.loadBusy());
        System.err.println(stored + " " + result);
        return result;
    }

    private void openDue(long now) throws IOException {
        InetSocketAddress address = broker.loadAddress();
        while (!due.isEmpty() && due.peek().dueNanos <= now) loop.open(due.remove(), address);
    }

    @Override
    public void close() throws IOException {
        loop.close();
    }

    /** One connection of one client. */
    private final class Attempt extends Link {
        private final int number;
        private final int triesBefore;
        private final long dueNanos;
        private boolean isIn;
        private boolean isOver;

        Attempt(int number, int triesBefore, long dueNanos) {
            super(ReturningCrowd.this.loop, userName(stored, number), List.of(), 0);
            this.number = number;
            this.triesBefore = triesBefore;
            this.dueNanos = dueNanos;
        }

        @Override
        String secret() {
            return stored.secret();
        }

        @Override
        int keepAliveSeconds() {
            return KEEP_ALIVE_SECONDS;
        }

        @Override
        void onGranted() {
            isIn = true;
            back++;
        }

        @Override
        void onRefused(int code) {
            refused++;
            tryAgain();
            close();
        }

        @Override
        void onEnd() throws IOException {
            if (isIn) super.onEnd();
            onBroken();
        }

        @Override
        void onFault(IOException fault) {
            if (isIn) super.onFault(fault);
            else onBroken();
        }

        private void onBroken() {
            if (!isOver) {
                broken++;
                tryAgain();
            }
            close();
        }

        private void tryAgain() {
            isOver = true;
            long pause = TimeUnit.SECONDS.toNanos(1L << Math.min(triesBefore, TRIES_DOUBLED));
            due.add(new Attempt(number, triesBefore + 1, System.nanoTime() + pause));
        }

        @Override
        void onPacket(int first, ByteBuffer in, int from, int to) {}
    }

    /** Connects once; whoever opened it closes it. */
    static final class Caller extends Link {
        private final String secret;

        Caller(LoadLoop loop, String clientId, String secret) {
            super(loop, clientId, List.of(), 0);
            this.secret = secret;
        }

        @Override
        String secret() {
            return secret;
        }

        @Override
        void onPacket(int first, ByteBuffer in, int from, int to) {}
    }
}
