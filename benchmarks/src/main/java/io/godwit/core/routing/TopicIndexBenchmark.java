package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * What do a look-up and a subscribe cost among a million filters?
 *
 * <p>A sample is 100 look-ups or 1 000 subscribes, divided by that. The median is the figure: what
 * another process interrupts lies in the tail.
 *
 * <pre>./godwit jmh TopicIndexBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g"})
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 7, time = 1)
public class TopicIndexBenchmark {
    private static final int HOT = 64;
    private static final int LOOKUPS = 100;

    /** Where one thread stands in the topics. */
    @State(Scope.Thread)
    public static class Reader {
        int next;

        Topic next(List<Topic> topics, int count) {
            next = next + 1 < count ? next + 1 : 0;
            return topics.get(next);
        }
    }

    /** A matcher as each shard has one. */
    @State(Scope.Thread)
    public static class Shard {
        TopicMatcher matcher =
                new TopicIndex(new KeyedHash(new Random(1)), FilterListener.NONE).matcher();

        @Setup
        public void open(MillionFilters filters) {
            matcher = filters.index.matcher();
        }
    }

    /** Filters that never were in the index; added by an invocation, removed after it. */
    @State(Scope.Thread)
    public static class NewFilters {
        static final int COUNT = 1_000;
        final List<Subscription> exact = new ArrayList<>();
        final List<Subscription> wildcard = new ArrayList<>();

        private int made;

        @Setup(Level.Invocation)
        public void make(MillionFilters filters) {
            exact.clear();
            wildcard.clear();
            for (int i = 0; i < COUNT; i++) {
                made++;
                exact.add(filters.subscription("new/filter-" + made + "/state"));
                String level = "area-%d/+/area-%d".formatted(10 + i % 20, 10 + i / 20 % 20);
                wildcard.add(filters.subscription(level + "/new-" + made + "/#"));
            }
        }

        @TearDown(Level.Invocation)
        public void remove(MillionFilters filters) {
            exact.forEach(s -> filters.index.remove(s.filter, s.session));
            wildcard.forEach(s -> filters.index.remove(s.filter, s.session));
            if (filters.index.filters() != MillionFilters.EXACT + MillionFilters.WILDCARDS) {
                throw new IllegalStateException("filters were left");
            }
        }
    }

    /** A chain through 128 MiB, each place the address of the next. */
    @State(Scope.Benchmark)
    public static class Chain {
        private static final int LENGTH = 1 << 25;
        private final int[] places = new int[LENGTH];
        private int at;

        @Setup
        public void link() {
            int place = 0;
            for (int i = 0; i < LENGTH; i++) {
                int then = place * 1_664_525 + 1_013_904_223 & LENGTH - 1; // visits all of them
                places[place] = then;
                place = then;
            }
        }

        int next() {
            at = places[at * 40_503 + 12_345 & LENGTH - 1]; // away from the line it was on
            return at;
        }
    }

    /** The measure of the others: one load that waits for the one before and misses the cache. */
    @Benchmark
    @OperationsPerInvocation(LOOKUPS)
    public int cacheMiss(Chain chain) {
        int last = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            last = chain.next();
        }
        return last;
    }

    /** 64 topics in turn. */
    @Benchmark
    @OperationsPerInvocation(LOOKUPS)
    public void exactHot(MillionFilters filters, Shard shard, Reader reader, Blackhole out) {
        lookUp(shard, reader, filters.exactTopics, HOT, out);
    }

    /** All 900 000 in turn, which are far more than the cache holds. */
    @Benchmark
    @OperationsPerInvocation(LOOKUPS)
    public void exactCold(MillionFilters filters, Shard shard, Reader reader, Blackhole out) {
        lookUp(shard, reader, filters.exactTopics, MillionFilters.EXACT, out);
    }

    /** 10 000 topics of 10 levels against the wildcards. */
    @Benchmark
    @OperationsPerInvocation(LOOKUPS)
    public void wildcards(MillionFilters filters, Shard shard, Reader reader, Blackhole out) {
        lookUp(shard, reader, filters.deepTopics, filters.deepTopics.size(), out);
    }

    private static void lookUp(
            Shard shard, Reader reader, List<Topic> topics, int count, Blackhole out) {
        for (int i = 0; i < LOOKUPS; i++) {
            out.consume(shard.matcher.route(reader.next(topics, count)));
        }
    }

    @Benchmark
    @OperationsPerInvocation(NewFilters.COUNT)
    public long subscribeExact(MillionFilters filters, NewFilters more) {
        more.exact.forEach(filters.index::add);
        return filters.index.version();
    }

    @Benchmark
    @OperationsPerInvocation(NewFilters.COUNT)
    public long subscribeWildcard(MillionFilters filters, NewFilters more) {
        more.wildcard.forEach(filters.index::add);
        return filters.index.version();
    }
}
