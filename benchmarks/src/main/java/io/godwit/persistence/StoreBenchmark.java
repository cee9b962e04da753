package io.godwit.persistence;

import io.godwit.persistence.StoreUnderTest.Entry;
import io.godwit.persistence.StoreUnderTest.Page;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a message cost in the store: append, deliver and acknowledge?
 *
 * <p>1 000 queues, 100 B, commits of 100 messages that the calling thread waits for. An operation
 * is one message; the figure is the process's CPU time (target: at most 1 us within the window, 6
 * us as rows, with sync OS). COMMIT beside it shows what the sync itself costs.
 *
 * <pre>./godwit jmh StoreBenchmark -prof io.godwit.persistence.ProcessCpu</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
public class StoreBenchmark {
    private static final int QUEUES = 1_000;
    private static final int BATCH = 100;
    private static final int RUN = 10;
    private static final int PAYLOAD_BYTES = 100;

    /** Queues that are filled before they are read. */
    private static final int ROUND = QUEUES * RUN;

    @Param({"OS", "COMMIT"})
    public Durability sync = Durability.OS;

    private StoreUnderTest store = NOT_OPEN;
    private List<Entry> unacknowledged = new ArrayList<>();
    private long rows;
    private int next;

    @SuppressWarnings("NullAway") // JMH opens it before anything else
    private static final StoreUnderTest NOT_OPEN = null;

    @Setup(Level.Trial)
    public void open() throws IOException, StoreUnusable {
        StoreSettings d = StoreSettings.DEFAULTS;
        StoreSettings settings =
                new StoreSettings(
                        sync,
                        d.syncIntervalMs(),
                        0, // the caller waits: what gathers is its own batch
                        d.windowMs(),
                        d.windowBytes(),
                        d.journalBytes(),
                        0,
                        1 << 20);
        Path folder = Files.createTempDirectory(Path.of("target"), "store-benchmark");
        store = new StoreUnderTest(folder, settings, QUEUES, PAYLOAD_BYTES);
    }

    @TearDown(Level.Trial)
    public void close() {
        store.close();
    }

    /** Each message is acknowledged in the commit after its own, long before the window ends. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void acknowledgedWithinTheWindow() {
        List<Entry> before = unacknowledged;
        List<Entry> now = new ArrayList<>(BATCH);
        for (int i = 0; i < BATCH; i++) {
            next = next % QUEUES + 1;
            now.add(store.append(next));
        }
        for (Entry entry : before) {
            store.shard().remove(entry);
        }
        unacknowledged = now;
        store.commit();
    }

    /**
     * Ten messages for each queue become rows, are read back in a page and acknowledged. The pages
     * of ten queues are asked for together, as a shard asks for those of a turn's sessions.
     */
    @Benchmark
    @OperationsPerInvocation(ROUND)
    public void materialisedAndReadBack() {
        for (int from = 1; from <= QUEUES; from += BATCH / RUN) {
            for (int queue = from; queue < from + BATCH / RUN; queue++) {
                for (int i = 0; i < RUN; i++) store.append(queue);
            }
            store.commit();
        }
        rows += ROUND;
        store.awaitRows(rows);
        for (int from = 1; from <= QUEUES; from += BATCH / RUN) {
            List<Page> pages = new ArrayList<>(BATCH / RUN);
            for (int queue = from; queue < from + BATCH / RUN; queue++) {
                pages.add(store.ask(queue, 0, Long.MAX_VALUE, RUN));
            }
            for (Page page : pages) {
                store.await(page);
                if (page.entries.size() != RUN) {
                    throw new IllegalStateException(page.entries.size() + " rows of " + RUN);
                }
                for (Entry entry : page.entries) store.shard().remove(entry);
            }
            store.commit();
        }
    }
}
