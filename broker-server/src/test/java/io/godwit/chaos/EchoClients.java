package io.godwit.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Has many {@link EchoClient}s publish in turn, at an even rate. */
final class EchoClients implements AutoCloseable {
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long END_MS = 60_000;

    private final List<EchoClient> clients = new ArrayList<>();

    /** Connects clients {@code NAME-0} and so on, each with a topic {@code NAME/0} and so on. */
    EchoClients(int port, String name, int count, boolean areMarked)
            throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            clients.add(new EchoClient(port, name + "-" + i, name + "/" + i, areMarked));
        }
        for (EchoClient each : clients) {
            each.awaitReady();
        }
    }

    List<EchoClient> all() {
        return clients;
    }

    /** Publishes until the time is over, and waits until nothing is under way. */
    void run(double perSecondEach, double seconds) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        double perSecond = perSecondEach * clients.size();
        long count = Math.round(perSecond * seconds);
        for (long i = 0; i < count; i++) {
            long due = begin + (long) (i * NANOS_PER_SECOND / perSecond);
            long wait;
            while ((wait = due - System.nanoTime()) > 0) {
                LockSupport.parkNanos(wait);
            }
            clients.get((int) (i % clients.size())).publish();
        }
        await(EchoClient::isDone);
    }

    private void await(Predicate<EchoClient> condition) throws InterruptedException {
        long end = System.currentTimeMillis() + END_MS;
        for (EchoClient each : clients) {
            while (!condition.test(each) && System.currentTimeMillis() < end) {
                Thread.sleep(10);
            }
        }
    }

    /** How many messages each has received so far. */
    int[] received() {
        return clients.stream().mapToInt(EchoClient::received).toArray();
    }

    List<String> faults() {
        return clients.stream()
                .flatMap(each -> each.faults().stream())
                .collect(Collectors.toList());
    }

    /** Milliseconds within which 99 % of the messages were back, of those behind a place. */
    double p99Ms(int[] from) {
        long[] all = new long[0];
        int count = 0;
        for (int i = 0; i < clients.size(); i++) {
            long[] own = clients.get(i).latencies(from[i]);
            all = Arrays.copyOf(all, Math.max(all.length, 2 * (count + own.length)));
            System.arraycopy(own, 0, all, count, own.length);
            count += own.length;
        }
        Arrays.sort(all, 0, count);
        return count == 0 ? 0 : all[Math.max(0, (int) Math.ceil(count * 0.99) - 1)] / 1e6;
    }

    @Override
    public void close() throws IOException {
        for (EchoClient each : clients) {
            each.close();
        }
    }
}
