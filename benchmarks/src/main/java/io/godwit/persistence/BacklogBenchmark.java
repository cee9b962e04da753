package io.godwit.persistence;

import io.godwit.persistence.StoreUnderTest.Entry;
import io.godwit.persistence.StoreUnderTest.Page;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to read a message of a long backlog back from its row? One queue, 100 B, pages
 * of 800 as those of a client that takes one after the other; nothing is removed.
 *
 * <pre>./godwit jmh BacklogBenchmark -prof io.godwit.persistence.ProcessCpu</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m"})
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
public class BacklogBenchmark {
    private static final int ROWS = 200_000;
    private static final int BATCH = 1_000;
    private static final int PAGE = 800;
    private static final int QUEUE = 1;

    private StoreUnderTest store = NOT_OPEN;
    private long after;
    private int pages;

    @SuppressWarnings("NullAway") // JMH opens it before anything else
    private static final StoreUnderTest NOT_OPEN = null;

    @Setup(Level.Trial)
    public void open() throws IOException, StoreUnusable {
        StoreSettings d = StoreSettings.DEFAULTS;
        StoreSettings settings =
                new StoreSettings(
                        Durability.OS,
                        d.syncIntervalMs(),
                        0,
                        d.windowMs(),
                        d.windowBytes(),
                        d.journalBytes(),
                        0,
                        1 << 20);
        Path folder = Files.createTempDirectory(Path.of("target"), "backlog-benchmark");
        store = new StoreUnderTest(folder, settings, QUEUE, 100);
        for (int i = 0; i < ROWS / BATCH; i++) {
            for (int j = 0; j < BATCH; j++) {
                store.append(QUEUE);
            }
            store.commit();
        }
        store.awaitRows(ROWS);
    }

    @TearDown(Level.Trial)
    public void close() {
        store.close();
    }

    @Benchmark
    @OperationsPerInvocation(PAGE)
    public List<Entry> aPageOfABacklog() {
        Page page = store.ask(QUEUE, after, Long.MAX_VALUE, PAGE);
        store.await(page);
        if (page.entries.size() != PAGE) {
            throw new IllegalStateException(page.entries.size() + " rows of " + PAGE);
        }
        // From the start again behind the last one.
        pages = (pages + 1) % (ROWS / PAGE);
        after = pages == 0 ? 0 : page.entries.getLast().messageId;
        return page.entries;
    }
}
