package io.godwit.core.routing;

import static io.godwit.core.routing.TestMessage.retained;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RetainedStoreTest {
    private static final long NOW = 1_000_000;

    private final RetainedStore store = store(100, 100_000);

    private static RetainedStore store(int messages, long bytes) {
        return new RetainedStore(
                Limits.with(l -> {
                    l.retainedMessages = messages;
                    l.retainedBytes = bytes;
                }),
                TestIndex.hash(1));
    }

    private static List<String> topics(RetainedStore store, String filter) {
        List<String> topics = new ArrayList<>();
        RetainedScan scan = store.scan(TopicFilter.of(filter));
        int found =
                scan.next(Integer.MAX_VALUE, NOW, r -> topics.add(r.message().topic.toString()));
        assertThat(scan.isDone()).isTrue();
        assertThat(found).isEqualTo(topics.size());
        return topics;
    }

    private void put(String... topics) {
        for (String topic : topics) {
            assertThat(store.put(retained(topic, topic), 1)).isEqualTo(RetainedOutcome.ADDED);
        }
    }

    @Test
    void the_last_message_of_a_topic_is_kept_with_its_version() {
        Message second = retained("a/b", "2");
        assertThat(store.put(retained("a/b", "1"), 7)).isEqualTo(RetainedOutcome.ADDED);
        assertThat(store.put(second, 9)).isEqualTo(RetainedOutcome.REPLACED);

        assertThat(store.get(Topic.of("a/b"), NOW)).isEqualTo(new Retained(second, 9));
        assertThat(store.get(Topic.of("a/c"), NOW)).isNull();
        assertThat(store.size()).isEqualTo(1);
        assertThat(store.bytes()).isEqualTo(second.accountedBytes());
    }

    @Test
    void an_empty_payload_deletes_and_is_not_kept() {
        put("a");
        assertThat(store.put(retained("a", ""), 2)).isEqualTo(RetainedOutcome.REMOVED);
        assertThat(store.put(retained("a", ""), 3)).isEqualTo(RetainedOutcome.NOTHING_TO_REMOVE);

        assertThat(store.get(Topic.of("a"), NOW)).isNull();
        assertThat(topics(store, "#")).isEmpty();
        assertThat(store.size()).isZero();
        assertThat(store.bytes()).isZero();
    }

    @Test
    void above_the_count_a_new_topic_is_refused_and_a_known_one_is_replaced() {
        RetainedStore small = store(2, 100_000);
        small.put(retained("a", "1"), 1);
        small.put(retained("b", "1"), 1);

        assertThat(small.put(retained("c", "1"), 1)).isEqualTo(RetainedOutcome.REFUSED);
        assertThat(small.put(retained("a", "2"), 1)).isEqualTo(RetainedOutcome.REPLACED);
        assertThat(topics(small, "#")).containsExactly("a", "b");
    }

    @Test
    void above_the_bytes_a_message_is_refused_and_the_older_one_of_its_topic_goes() {
        Message a = retained("a", "x".repeat(100));
        RetainedStore small = store(10, 2L * a.accountedBytes());
        small.put(a, 1);
        small.put(retained("b", "x".repeat(100)), 1);

        assertThat(small.put(retained("c", "x"), 1)).isEqualTo(RetainedOutcome.REFUSED);
        assertThat(small.put(retained("b", "x".repeat(101)), 1)).isEqualTo(RetainedOutcome.REFUSED);
        assertThat(topics(small, "#")).containsExactly("a");
        assertThat(small.bytes()).isEqualTo(a.accountedBytes());
    }

    @Test
    void
            what_was_kept_before_stays_above_smaller_limits_and_can_be_replaced_by_what_is_no_larger() {
        Message a = retained("a", "x".repeat(100));
        RetainedStore small = store(1, a.accountedBytes());
        small.restore(a, 1);
        small.restore(retained("b", "x".repeat(100)), 1);
        assertThat(small.isAboveLimits()).isTrue();
        assertThat(topics(small, "#")).containsExactly("a", "b");

        assertThat(small.put(retained("c", "x"), 2)).isEqualTo(RetainedOutcome.REFUSED);
        assertThat(small.put(retained("a", "y".repeat(100)), 3))
                .isEqualTo(RetainedOutcome.REPLACED);
        assertThat(small.put(retained("b", ""), 4)).isEqualTo(RetainedOutcome.REMOVED);
        assertThat(small.isAboveLimits()).isFalse();
        assertThat(small.bytes()).isEqualTo(a.accountedBytes());
    }

    @Test
    void a_scan_finds_what_section_4_7_says() {
        put(
                "a", "a/", "a/b", "a/b/c", "a!", "a!/b", "a0", "a0/b", "b/b", "/", "/b", "$SYS",
                "$SYS/x", "a//c");

        assertThat(topics(store, "a")).containsExactly("a");
        assertThat(topics(store, "a/#"))
                .containsExactlyInAnyOrder("a", "a/", "a/b", "a/b/c", "a//c");
        assertThat(topics(store, "+/b"))
                .containsExactlyInAnyOrder("a/b", "a!/b", "a0/b", "b/b", "/b");
        assertThat(topics(store, "+")).containsExactlyInAnyOrder("a", "a!", "a0");
        assertThat(topics(store, "+/+/c")).containsExactlyInAnyOrder("a/b/c", "a//c");
        assertThat(topics(store, "#")).hasSize(12).noneMatch(t -> t.startsWith("$"));
        assertThat(topics(store, "$SYS/#")).containsExactlyInAnyOrder("$SYS", "$SYS/x");
        assertThat(topics(store, "a/+/#")).containsExactlyInAnyOrder("a/", "a/b", "a/b/c", "a//c");
    }

    @Test
    void an_expired_message_is_neither_found_nor_scanned_and_the_sweep_removes_it() {
        store.put(retained("a", "1", NOW + 1), 1);
        store.put(retained("b", "1", NOW), 1);
        store.put(retained("c", "1"), 1);

        assertThat(store.get(Topic.of("a"), NOW)).isNotNull();
        assertThat(store.get(Topic.of("b"), NOW)).isNull();
        assertThat(topics(store, "#")).containsExactly("a", "c");
        assertThat(store.sweep(NOW, 10, message -> {})).isEqualTo(1);
        assertThat(store.size()).isEqualTo(2);
        assertThat(store.sweep(NOW + 1, 10, message -> {})).isEqualTo(1);
        assertThat(store.size()).isEqualTo(1);
        assertThat(store.bytes()).isEqualTo(retained("c", "1").accountedBytes());
    }

    @Test
    void sweeps_of_a_few_steps_come_around_to_every_message() {
        for (int i = 0; i < 50; i++) {
            store.put(retained("t" + i, "x", i % 2 == 0 ? NOW + i : Message.NEVER), 1);
        }
        int removed = 0;
        for (int sweep = 0; sweep < 20; sweep++) {
            removed += store.sweep(NOW + 20, 7, message -> {});
        }

        assertThat(removed).isEqualTo(11);
        assertThat(store.size()).isEqualTo(39);
        for (int sweep = 0; sweep < 10; sweep++) {
            removed += store.sweep(NOW + 100, 7, message -> {});
        }
        assertThat(removed).isEqualTo(25);
    }

    @Test
    void a_jump_passes_branches_that_cannot_match() {
        RetainedStore large = store(1_000_000, 1L << 30);
        for (int i = 0; i < 100; i++) {
            for (int k = 0; k < 100; k++) {
                large.put(retained("site/%02d/x/%02d".formatted(i, k), "1"), 1);
            }
        }
        RetainedScan scan = large.scan(TopicFilter.of("site/+/x/42"));
        List<Retained> found = new ArrayList<>();
        scan.next(400, NOW, found::add);

        assertThat(scan.isDone()).isTrue();
        assertThat(found).hasSize(100);
    }

    @Test
    void a_scan_goes_on_where_it_stopped_whatever_was_removed_there() {
        put("a", "b", "c", "d", "e");
        RetainedScan scan = store.scan(TopicFilter.of("#"));
        List<String> seen = new ArrayList<>();
        scan.next(2, NOW, r -> seen.add(r.message().topic.toString()));
        store.put(retained("b", ""), 1);
        store.put(retained("c", ""), 1);
        store.put(retained("d", "new"), 2);
        while (!scan.isDone()) {
            scan.next(
                    1, NOW, r -> seen.add(r.message().topic + "=" + TestMessage.text(r.message())));
        }

        assertThat(seen).containsExactly("a", "b", "d=new", "e=e");
        assertThat(scan.next(10, NOW, r -> seen.add("more"))).isZero();
        assertThat(seen).hasSize(4);
    }

    @Test
    void a_replaced_message_keeps_no_second_copy_of_its_topic() {
        put("a/b");
        Message newer = retained("a/b", "2");
        store.put(newer, 2);

        Retained found = Objects.requireNonNull(store.get(Topic.of("a/b"), NOW));
        assertThat(found.message()).isSameAs(newer);
        assertThat(store.scan(TopicFilter.of("a/b")).next(9, NOW, r -> {})).isEqualTo(1);
    }
}
