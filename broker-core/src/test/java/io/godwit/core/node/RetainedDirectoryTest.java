package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetainedDirectoryTest {
    private static final RetainedDirectory.Bounds USUAL =
            new RetainedDirectory.Bounds(100, 64 << 10);

    private final TestNode node = new TestNode(3, new MemoryStore());

    private void retain(String topic, int bytes, long expirySeconds) {
        node.broker()
                .localPublisher()
                .publish(
                        new ReviewedPublish(
                                Topic.of(topic),
                                new byte[bytes],
                                PublishFrame.NO_PROPERTIES,
                                1,
                                true,
                                false,
                                expirySeconds,
                                false,
                                0),
                        refusal -> assertThat(refusal).isNull());
        node.settle();
    }

    private RetainedDirectory.Some answer(CompletableFuture<RetainedDirectory.Some> asked) {
        node.settle();
        assertThat(asked).isCompleted();
        return asked.join();
    }

    private RetainedDirectory.Some read(
            String filter, @Nullable String after, RetainedDirectory.Bounds bounds) {
        return answer(
                node.broker()
                        .retained()
                        .read(
                                TopicFilter.of(filter),
                                after == null ? null : Topic.of(after),
                                bounds));
    }

    private static List<String> topics(RetainedDirectory.Some some) {
        return some.messages().stream().map(each -> each.topic.toString()).toList();
    }

    private List<String> all(String filter, RetainedDirectory.Bounds bounds) {
        List<String> all = new ArrayList<>();
        String after = null;
        while (true) {
            RetainedDirectory.Some some = read(filter, after, bounds);
            assertThat(some.messages()).hasSizeLessThanOrEqualTo(bounds.messagesMax());
            all.addAll(topics(some));
            if (some.isLast()) {
                return all;
            }
            after = topics(some).getLast();
        }
    }

    @Test
    void message_of_a_topic_is_found_until_it_is_removed_or_expires() {
        retain("a/b", 3, -1);
        retain("a/c", 3, 10);
        assertThat(topics(answer(node.broker().retained().get(Topic.of("a/b")))))
                .containsExactly("a/b");
        assertThat(answer(node.broker().retained().get(Topic.of("a"))).messages()).isEmpty();
        RetainedDirectory.Some expiring = answer(node.broker().retained().get(Topic.of("a/c")));
        Message message = expiring.messages().getFirst();
        assertThat(message.expiresAtMs - expiring.nowMs()).isBetween(8_000L, 10_000L);
        retain("a/b", 0, -1);
        assertThat(answer(node.broker().retained().get(Topic.of("a/b"))).messages()).isEmpty();
    }

    @Test
    void pages_have_each_message_once_in_the_order_of_topics() {
        List<String> expected = new ArrayList<>();
        for (int i = 100; i < 350; i++) {
            retain("a/" + i, 1, -1);
            retain("b/" + i, 1, -1);
            expected.add("a/" + i);
        }
        assertThat(all("a/#", USUAL)).isEqualTo(expected);
        assertThat(all("a/+", new RetainedDirectory.Bounds(7, 64 << 10))).isEqualTo(expected);
        assertThat(all("+/101", USUAL)).containsExactly("a/101", "b/101");
        assertThat(all("#", USUAL)).hasSize(500);
        assertThat(all("c", USUAL)).isEmpty();
    }

    @Test
    void page_ends_where_its_bytes_do_and_has_one_message_at_least() {
        retain("a", 60_000, -1);
        retain("b", 60_000, -1);
        retain("c", 100_000, -1);
        retain("d", 1, -1);
        assertThat(topics(read("#", null, USUAL))).containsExactly("a");
        assertThat(topics(read("#", "a", USUAL))).containsExactly("b");
        assertThat(topics(read("#", "b", USUAL))).containsExactly("c");
        assertThat(read("#", "c", USUAL).isLast()).isTrue();
        assertThat(all("#", USUAL)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void what_comes_and_goes_between_pages_disturbs_nothing_else() {
        for (int i = 0; i < 9; i++) {
            retain("t/" + i, 1, -1);
        }
        RetainedDirectory.Bounds three = new RetainedDirectory.Bounds(3, 64 << 10);
        assertThat(topics(read("t/+", null, three))).containsExactly("t/0", "t/1", "t/2");
        retain("t/2", 0, -1);
        retain("t/3", 0, -1);
        retain("t/1a", 1, -1);
        assertThat(topics(read("t/+", "t/2", three))).containsExactly("t/4", "t/5", "t/6");
    }
}
