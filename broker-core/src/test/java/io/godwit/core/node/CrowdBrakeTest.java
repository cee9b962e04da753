package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who fills mailboxes with large fan-outs waits before all others would have to. */
class CrowdBrakeTest {
    private static final int SUBSCRIBERS = 200;

    /** Of the other shard. */
    private static final int HALF = SUBSCRIBERS / 2;

    private final TestNode node =
            new TestNode(
                    2,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(0, 1 << 20, 1 << 18, 50_000, 1L << 30, 1 << 20, 100));
    private final List<TestClient> crowd = new ArrayList<>();
    private final TestClient flood = node.client(0, "flood");
    private final TestClient quiet = node.client(0, "quiet");

    /** Messages of large fan-outs under way to a shard. */
    private final int mark = NodeContext.CROWD_SLICES * node.context.overload().sliceSteps();

    private int sent;

    CrowdBrakeTest() {
        for (int i = 0; i < SUBSCRIBERS; i++) {
            crowd.add(node.subscriber(i % 2, "s" + i, 0, "news"));
        }
    }

    /** Until the other shard, which does not come to its turn, has more of it than it should. */
    private void fill() {
        quiet.publish("one", 0, 0, "x");
        while (node.shards[1].mailboxDepth() <= mark) {
            publish();
        }
    }

    private void publish() {
        flood.publish("news", 0, 0, String.valueOf(++sent));
        node.loops[0].step();
        node.loops[0].step();
    }

    @Test
    void who_floods_thousands_is_not_read_while_a_shard_is_crowded() {
        fill();
        assertThat(flood.wire.isRead()).isFalse();
        assertThat(node.shards[1].mailboxDepth()).isLessThanOrEqualTo(mark + HALF);
        assertThat(node.count(Metric.READS_PAUSED)).isEqualTo(1);
        node.settle();
        assertThat(flood.wire.isRead()).isTrue();
        String[] all =
                IntStream.rangeClosed(1, sent).mapToObj(String::valueOf).toArray(String[]::new);
        for (TestClient each : crowd) {
            assertThat(each.payloads()).containsExactly(all);
        }
    }

    @Test
    void what_was_read_before_waits_too_and_comes_in_order() {
        fill();
        int before = sent;
        for (int i = 0; i < 10; i++) {
            flood.publish("news", 0, 0, String.valueOf(++sent));
        }
        node.loops[0].step();
        assertThat(crowd.getFirst().payloads()).hasSizeLessThanOrEqualTo(before);
        node.settle();
        assertThat(crowd.getFirst().payloads()).hasSize(sent).endsWith(String.valueOf(sent));
    }

    @Test
    void others_are_read_and_served() {
        TestClient reader = node.subscriber(0, "r", 0, "one");
        fill();
        quiet.publish("one", 0, 0, "y");
        node.loops[0].step();
        assertThat(quiet.wire.isRead()).isTrue();
        assertThat(reader.payloads()).endsWith("y");
        node.settle();
    }

    @Test
    void it_goes_on_at_half_and_not_at_the_end() {
        fill();
        while (!flood.wire.isRead()) {
            node.loops[1].step();
            node.loops[0].step();
        }
        assertThat(node.shards[1].mailboxDepth()).isBetween(1L, mark / 2L);
        node.settle();
    }

    /** It takes 100 ms for what comes to it of a message: others would wait for seconds. */
    @Test
    void a_slow_shard_is_crowded_by_fewer() {
        fill();
        while (node.shards[1].mailboxDepth() > 0) {
            node.time.advance(100);
            node.loops[1].step();
        }
        node.settle();
        int least = NodeContext.CROWD_SLICES_LEAST * node.context.overload().sliceSteps();
        while (node.shards[1].mailboxDepth() <= least) {
            publish();
        }
        assertThat(flood.wire.isRead()).isFalse();
        node.settle();
        assertThat(flood.wire.isRead()).isTrue();
        assertThat(crowd.getFirst().payloads()).hasSize(sent).endsWith(String.valueOf(sent));
    }

    @Test
    void who_published_to_thousands_once_waits_no_longer_than_that() {
        quiet.publish("news", 0, 0, "once");
        fill();
        quiet.publish("news", 0, 0, "twice");
        node.loops[0].step();
        assertThat(quiet.wire.isRead()).isFalse();
        node.settle();
        quiet.publish("one", 0, 0, "y");
        fill();
        assertThat(quiet.wire.isRead()).isTrue();
        node.settle();
    }
}
