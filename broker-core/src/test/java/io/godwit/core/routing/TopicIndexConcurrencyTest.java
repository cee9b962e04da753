package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Readers while the writer changes the same filters. Sessions below {@link #STABLE} never leave,
 * the others come and go; session n subscribes to filters of topic n % {@link #TOPICS}.
 */
@Tag("alone")
class TopicIndexConcurrencyTest {
    private static final int TOPICS = 4;
    private static final int STABLE = 40;
    private static final String[] FILTERS = {
        "t/%d", "t/%d/#", "+/%d", "t/%d/x", "+/%d/#", "s/x/%d"
    };

    private final TopicIndex index = TestIndex.empty();
    private final List<TestSession> sessions = new ArrayList<>();
    private final TopicFilter[][] filters = new TopicFilter[FILTERS.length][TOPICS];

    /** Sessions below this have subscribed for good. */
    private volatile int settled;

    /** Index version of each; written before {@link #settled}. */
    private final long[] settledAt = new long[STABLE];

    private volatile boolean done;

    /**
     * @param count of sessions: few, or so many that a filter's are in several chunks
     */
    @ParameterizedTest
    @CsvSource({"400, 3_000_000", "8_000, 1_300_000"})
    void every_route_has_the_settled_sessions_and_each_at_most_once(int count, int changes)
            throws Exception {
        for (int i = 0; i < count; i++) {
            sessions.add(new TestSession(i));
        }
        for (int f = 0; f < FILTERS.length; f++) {
            for (int t = 0; t < TOPICS; t++) {
                filters[f][t] = TopicFilter.of(FILTERS[f].formatted(t));
            }
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<Integer>> readers = new ArrayList<>();
            for (int r = 0; r < 2; r++) {
                int seed = r;
                readers.add(threads.submit((Callable<Integer>) () -> read(seed)));
            }
            Future<?> writer = threads.submit(() -> write(changes));
            try {
                writer.get(300, TimeUnit.SECONDS);
            } finally {
                done = true;
            }
            for (Future<Integer> reader : readers) {
                assertThat(reader.get(300, TimeUnit.SECONDS)).isGreaterThan(1_000);
            }
        }
    }

    @Test
    void a_route_has_all_changes_up_to_its_version() throws Exception {
        int adds = 200_000;
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> writer =
                    threads.submit(() -> {
                        for (int i = 0; i < adds; i++) {
                            index.add(new TestSession(i).to("t"));
                        }
                    });
            Future<Integer> reader =
                    threads.submit(() -> {
                        TopicMatcher matcher = index.matcher();
                        int routes = 0;
                        Route route;
                        do {
                            route = matcher.route(Topic.of("t"));
                            assertThat((long) route.count())
                                    .isGreaterThanOrEqualTo(route.version());
                            routes++;
                        } while (route.version() < adds);
                        return routes;
                    });
            writer.get(300, TimeUnit.SECONDS);
            assertThat(reader.get(300, TimeUnit.SECONDS)).isPositive();
        }
    }

    private void write(int changes) {
        SplittableRandom random = new SplittableRandom(7);
        for (int change = 0; change < changes; change++) {
            if (change % (changes / STABLE) == 0 && settled < STABLE) {
                change(settled, 0, true);
                change(settled, 1, true);
                change(settled, 5, true);
                settledAt[settled] = index.version();
                settled++;
            }
            int session = STABLE + random.nextInt(sessions.size() - STABLE);
            int filter = random.nextInt(FILTERS.length);
            // waves, so that sets become single, empty and large again
            boolean growing = change / (50 * sessions.size()) % 2 == 0;
            change(session, filter, random.nextInt(8) < (growing ? 7 : 1));
            if (random.nextInt(4) == 0 && settled > 0) {
                change(random.nextInt(settled), 0, true); // a settled one subscribes again
            }
        }
    }

    private void change(int session, int filter, boolean add) {
        TestSession of = sessions.get(session);
        TopicFilter to = filters[filter][session % TOPICS];
        if (add) {
            index.add(new Subscription(of, to, 1, false, false, new int[0]));
        } else {
            index.remove(to, of);
        }
    }

    private int read(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TopicMatcher matcher = index.matcher();
        int[] seenIn = new int[sessions.size()];
        int routes = 0;
        while (!done || routes <= 1_000) {
            routes++;
            int t = random.nextInt(TOPICS);
            boolean deeper = random.nextInt(3) == 0;
            boolean alone = random.nextInt(3) == 0; // one filter: the index's own chunks
            Topic topic = Topic.of(alone ? "s/x/" + t : "t/" + t + (deeper ? "/x" : ""));
            int settledBefore = settled;
            long versionBefore = index.version();
            Route route = matcher.route(topic);
            assertThat(route.version()).isGreaterThanOrEqualTo(versionBefore);
            for (int i = 0; i < route.count(); i++) {
                Subscription s = route.at(i);
                if (s != null) {
                    int n = (int) s.session.generation();
                    assertThat(n % TOPICS).isEqualTo(t);
                    assertThat(seenIn[n]).as("session %s twice", n).isNotEqualTo(routes);
                    seenIn[n] = routes;
                }
                if ((i & 15) == 15) {
                    Thread.onSpinWait();
                }
            }
            int settledAfter = settled;
            for (int n = t; n < settledAfter; n += TOPICS) {
                boolean known = n < settledBefore || settledAt[n] <= route.version();
                if (!known) {
                    continue;
                }
                assertThat(seenIn[n]).as("session %s is missing", n).isEqualTo(routes);
            }
        }
        return routes;
    }
}
