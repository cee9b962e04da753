package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store against a map that is searched from end to end, with changes between the slices. */
class RetainedStoreDifferentialTest {
    private final RetainedStore store =
            new RetainedStore(LimitSettings.DEFAULTS, TestIndex.hash(1));
    private final Map<String, Message> model = new HashMap<>();
    private long nowMs = 1_000;
    private long version;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void scans_find_what_the_naive_matcher_finds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int found = 0;
        int slices = 0;
        for (int round = 0; round < 600; round++) {
            for (int i = 0; i < 5; i++) {
                change(random);
            }
            assertSizes();
            String filter = NaiveMatcher.randomFilter(random);
            Set<String> before = matching(filter);
            Set<String> touched = new HashSet<>();
            Set<String> seen = new HashSet<>();
            RetainedScan scan = store.scan(TopicFilter.of(filter));
            boolean changing = random.nextBoolean();
            while (!scan.isDone()) {
                scan.next(
                        1 + random.nextInt(30),
                        nowMs,
                        r -> {
                            String topic = r.message().topic.toString();
                            assertThat(seen.add(topic)).as("%s once", topic).isTrue();
                            assertThat(r.message()).isSameAs(model.get(topic));
                        });
                slices++;
                if (changing && !scan.isDone()) {
                    touched.add(change(random));
                }
            }
            Set<String> stayed = new HashSet<>(before);
            stayed.removeAll(touched);
            assertThat(seen).as(filter).containsAll(stayed);
            assertThat(seen).allMatch(t -> before.contains(t) || touched.contains(t));
            found += seen.size();
            if (random.nextInt(20) == 0) {
                sweep(random);
            }
        }
        assertThat(found).isGreaterThan(4_000);
        assertThat(slices).isGreaterThan(1_200);
    }

    private String change(SplittableRandom random) {
        String topic = NaiveMatcher.randomTopic(random);
        boolean remove = random.nextInt(5) == 0;
        long expires = random.nextInt(4) == 0 ? nowMs + random.nextInt(200) : Message.NEVER;
        Message message = TestMessage.retained(topic, remove ? "" : "x", expires);
        boolean known = model.containsKey(topic);
        RetainedOutcome outcome = store.put(message, ++version);
        if (remove) {
            assertThat(outcome)
                    .isEqualTo(known ? RetainedOutcome.REMOVED : RetainedOutcome.NOTHING_TO_REMOVE);
            model.remove(topic);
        } else {
            assertThat(outcome).isEqualTo(known ? RetainedOutcome.REPLACED : RetainedOutcome.ADDED);
            model.put(topic, message);
        }
        Retained got = store.get(Topic.of(topic), nowMs);
        Message kept = remove || message.isExpired(nowMs) ? null : message;
        assertThat(got == null ? null : got.message()).isSameAs(kept);
        return topic;
    }

    private void sweep(SplittableRandom random) {
        nowMs += random.nextInt(300);
        long expired = model.values().stream().filter(m -> m.isExpired(nowMs)).count();
        int removed = 0;
        for (int left = store.size(); left > 0; left -= 10) {
            removed += store.sweep(nowMs, 10, message -> {});
        }
        removed += store.sweep(nowMs, 10, message -> {});
        assertThat(removed).isEqualTo((int) expired);
        model.values().removeIf(m -> m.isExpired(nowMs));
        assertSizes();
    }

    private void assertSizes() {
        assertThat(store.size()).isEqualTo(model.size());
        assertThat(store.bytes())
                .isEqualTo(model.values().stream().mapToLong(Message::accountedBytes).sum());
    }

    private Set<String> matching(String filter) {
        return model.entrySet().stream()
                .filter(e -> !e.getValue().isExpired(nowMs))
                .map(Map.Entry::getKey)
                .filter(topic -> NaiveMatcher.matches(filter, topic))
                .collect(Collectors.toSet());
    }
}
