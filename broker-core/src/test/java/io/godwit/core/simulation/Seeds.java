package io.godwit.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Runs the seeds of a simulation, and what its tests ask of them.
 *
 * @param <W> what a seed may meet, counted
 */
public final class Seeds<W extends Comparable<W>> {
    private final LongFunction<Map<W, Long>> simulation;

    /**
     * @param simulation runs one seed, and says how often it has met what; throws an {@link
     *     AssertionError} that ends with the story when something is wrong
     */
    public Seeds(LongFunction<Map<W, Long>> simulation) {
        this.simulation = simulation;
    }

    /**
     * Runs the one seed of {@code -Dsimulation.seed}, if there is one; false when there is none.
     */
    public boolean replay() {
        Long one = Long.getLong("simulation.seed");
        if (one != null) {
            var unused = simulation.apply(one);
        }
        return one != null;
    }

    /**
     * Runs the seeds from 1 on, and asserts that together they have met everything.
     *
     * @param least how often {@code per} seeds have to meet each thing, at least
     */
    public void meet(int seeds, Map<W, Integer> least, int per) {
        meet(LongStream.rangeClosed(1, seeds).toArray(), least, per);
    }

    /** Runs some seeds, as {@link #meet(int, Map, int)} does. */
    public void meet(long[] seeds, Map<W, Integer> least, int per) {
        Map<W, Long> counts = new TreeMap<>();
        for (long seed : seeds) {
            simulation.apply(seed).forEach((what, n) -> counts.merge(what, n, Long::sum));
        }
        least.forEach((what, n) ->
                assertThat(counts.getOrDefault(what, 0L))
                        .as("%s in %s seeds", what, seeds.length)
                        .isGreaterThanOrEqualTo((long) n * seeds.length / per));
    }

    /** Asserts that each seed does and meets the same when it is run again. */
    public void sameTwice(int seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            assertThat(simulation.apply(seed))
                    .as("seed %s", seed)
                    .isEqualTo(simulation.apply(seed));
        }
    }

    /**
     * Asserts that one of the seeds fails, says how to replay it, and fails when it is run again.
     *
     * @param missing the rule without which the simulation runs
     */
    public void notice(Object missing, int seeds) {
        notice(missing, 1, seeds);
    }

    /** As {@link #notice(Object, int)}, from another seed on. */
    public void notice(Object missing, long first, int seeds) {
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                var unused = simulation.apply(seed);
            } catch (AssertionError failure) {
                assertThat(failure.getMessage())
                        .contains("-Dsimulation.seed=" + seed)
                        .doesNotContain("not when run again");
                return;
            }
        }
        fail("nothing notices that %s is missing", missing);
    }

    /**
     * Runs more seeds than a test does, from {@code -Dsimulation.from} (1) on {@code
     * -Dsimulation.seeds} of them, in {@code -Dsimulation.threads} (1), and prints what they have
     * met. Begins no more after the first that fails, whose story it prints, unless {@code
     * -Dsimulation.all=true}.
     */
    public void run(int seedsUnlessTold) {
        Long one = Long.getLong("simulation.seed");
        long from = one != null ? one : Long.getLong("simulation.from", 1);
        long seeds = one != null ? 1 : Long.getLong("simulation.seeds", seedsUnlessTold);
        boolean all = Boolean.getBoolean("simulation.all");
        Map<W, Long> counts = new TreeMap<>();
        AtomicLong next = new AtomicLong(from);
        AtomicLong failed = new AtomicLong();
        Runnable some =
                () -> {
                    long seed;
                    while ((seed = next.getAndIncrement()) < from + seeds) {
                        try {
                            Map<W, Long> met = simulation.apply(seed);
                            synchronized (counts) {
                                met.forEach((what, n) -> counts.merge(what, n, Long::sum));
                            }
                        } catch (AssertionError failure) {
                            failed.incrementAndGet();
                            synchronized (counts) {
                                tell(failure, !all);
                            }
                            next.accumulateAndGet(all ? 0 : from + seeds, Math::max);
                        }
                    }
                };
        long began = System.nanoTime();
        inThreads(Integer.getInteger("simulation.threads", 1), some);
        System.out.println(counts);
        System.out.printf(
                "%d seeds, %d failed, %.1f s%n",
                seeds, failed.get(), (System.nanoTime() - began) / 1e9);
    }

    private static void inThreads(int threads, Runnable task) {
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            others.add(Thread.ofPlatform().start(task));
        }
        task.run();
        for (Thread each : others) {
            try {
                each.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void tell(AssertionError failure, boolean withStory) {
        String[] lines = String.valueOf(failure.getMessage()).split("\n", -1);
        System.out.println(lines[0]);
        if (!withStory) {
            return;
        }
        int story = Integer.getInteger("simulation.story", 60);
        for (int i = Math.max(1, lines.length - story); i < lines.length; i++) {
            System.out.println(lines[i]);
        }
        Throwable cause = failure.getCause();
        if (cause != null) {
            cause.printStackTrace(System.out);
        }
    }
}
