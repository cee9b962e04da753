package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index against a list of filters that is searched from end to end. */
class TopicIndexDifferentialTest {
    private record Key(String filter, int session) {}

    private final TopicIndex index = TestIndex.empty();
    private final TopicMatcher matcher = index.matcher();
    private final Map<Key, Subscription> model = new HashMap<>();
    private final List<TestSession> sessions = new ArrayList<>();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void routes_and_answers_are_those_of_the_naive_matcher(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 40; i++) {
            sessions.add(new TestSession(i));
        }
        int matched = 0;
        int merged = 0;
        for (int step = 0; step < 3_000; step++) {
            boolean shrinking = step / 500 % 2 == 1;
            if (random.nextInt(10) < (shrinking ? 3 : 7)) {
                add(random);
            } else {
                remove(random, shrinking);
            }
            String topic = NaiveMatcher.randomTopic(random);
            Map<Integer, String> expected = expected(topic);
            assertThat(actual(topic)).as("%s at step %s", topic, step).isEqualTo(expected);
            matched += expected.size();
            merged += expected.values().stream().anyMatch(s -> s.contains(",")) ? 1 : 0;
        }
        assertThat(matched).isGreaterThan(3_000);
        assertThat(merged).isGreaterThan(500);

        for (Key key : List.copyOf(model.keySet())) {
            assertThat(index.remove(TopicFilter.of(key.filter), sessions.get(key.session)))
                    .isSameAs(model.remove(key));
        }
        assertThat(index.size()).isZero();
        assertThat(index.filters()).isZero();
        assertThat(index.index().wildcards().isEmpty()).isTrue();
        assertThat(index.index().exact().size()).isZero();
    }

    private void add(SplittableRandom random) {
        String filter = NaiveMatcher.randomFilter(random);
        int session = random.nextInt(sessions.size());
        int[] ids = random.nextBoolean() ? new int[0] : new int[] {1 + random.nextInt(1_000)};
        Subscription s =
                new Subscription(
                        sessions.get(session),
                        TopicFilter.of(filter),
                        random.nextInt(3),
                        random.nextInt(3) == 0,
                        random.nextBoolean(),
                        ids);
        assertThat(index.add(s)).isSameAs(model.put(new Key(filter, session), s));
        assertSizes();
    }

    private void remove(SplittableRandom random, boolean existing) {
        Key key =
                existing && !model.isEmpty()
                        ? model.keySet().stream()
                                .skip(random.nextInt(model.size()))
                                .findFirst()
                                .orElseThrow()
                        : new Key(
                                NaiveMatcher.randomFilter(random), random.nextInt(sessions.size()));
        assertThat(index.remove(TopicFilter.of(key.filter), sessions.get(key.session)))
                .isSameAs(model.remove(key));
        assertSizes();
    }

    private void assertSizes() {
        assertThat(index.size()).isEqualTo(model.size());
        assertThat(index.filters())
                .isEqualTo(model.keySet().stream().map(Key::filter).distinct().count());
    }

    private Map<Integer, String> expected(String topic) {
        Map<Integer, List<Subscription>> bySession = new TreeMap<>();
        model.forEach((key, s) -> {
            if (NaiveMatcher.matches(key.filter, topic)) {
                bySession.computeIfAbsent(key.session, k -> new ArrayList<>()).add(s);
            }
        });
        Map<Integer, String> expected = new TreeMap<>();
        bySession.forEach((session, all) -> {
            List<Subscription> own = all.stream().filter(s -> !s.noLocal).toList();
            expected.put(session, sum(all) + " own " + sum(own));
        });
        return expected;
    }

    private Map<Integer, String> actual(String topic) {
        Route route = matcher.route(Topic.of(topic));
        assertThat(route.version()).isEqualTo(index.version());
        Map<Integer, String> actual = new TreeMap<>();
        for (int i = 0; i < route.count(); i++) {
            Subscription s = route.at(i);
            if (s != null) {
                Subscription own = s.forPublisher(s.session.clientId());
                String text =
                        sum(List.of(s)) + " own " + sum(own == null ? List.of() : List.of(own));
                assertThat(actual.put((int) s.session.generation(), text)).as("once").isNull();
                assertThat(s.forPublisher(null)).isSameAs(s);
            }
        }
        return actual;
    }

    /** Highest QoS, any Retain As Published, first version, sorted identifiers. */
    private static String sum(List<Subscription> all) {
        if (all.isEmpty()) {
            return "none";
        }
        int qos = all.stream().mapToInt(s -> s.qos).max().orElseThrow();
        boolean retain = all.stream().anyMatch(s -> s.retainAsPublished);
        int[] ids = all.stream().flatMapToInt(s -> Arrays.stream(s.ids)).sorted().toArray();
        long since = all.stream().mapToLong(Subscription::addedAt).min().orElseThrow();

        return qos + " " + retain + " " + since + " " + Arrays.toString(ids);
    }
}
