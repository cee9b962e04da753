package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * overload.qos0-soft-limit: what a subscriber that reads too slowly misses, or makes others wait.
 */
class Qos0SoftLimitTest {
    private static final int HIGH = 1_000;
    private static final int LOW = 200;

    /** Payloads of 100 bytes: the channel is unwritable after about ten. */
    private static final String PADDING = "-".repeat(90);

    private static TestNode node(int softLimit) {
        return new TestNode(
                2,
                LimitSettings.DEFAULTS,
                new OverloadSettings(softLimit, HIGH, LOW, 50_000, 1L << 30, 1 << 20, 1_000));
    }

    private static List<String> publish(TestNode node, TestClient publisher, int from, int to) {
        List<String> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            String payload = "%08d".formatted(i) + PADDING;
            publisher.publish("t", 0, 0, payload);
            node.settle();
            sent.add(payload);
        }
        return sent;
    }

    @Test
    void dropsOnlyAboveTheLimitWhileUnwritable() {
        TestNode node = node(20);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");

        List<String> sent = publish(node, publisher, 0, 100);
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();

        subscriber.wire.block();
        sent.addAll(publish(node, publisher, 100, 130));
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();
        assertThat(node.queuedMessages()).isPositive().isLessThanOrEqualTo(20);

        publish(node, publisher, 130, 230);
        long dropped = node.count(Metric.DROPPED_QOS0_SLOW);
        assertThat(dropped).isBetween(80L, 100L);
        assertThat(node.shards[1].counters().get(Metric.DROPPED_QOS0_SLOW, ProtocolVersion.MQTT_5))
                .isEqualTo(dropped);
        assertThat(node.queuedMessages()).isEqualTo(20);

        subscriber.wire.takeAll();
        node.settle();
        publish(node, publisher, 300, 301);
        List<String> got = subscriber.payloads();
        assertThat(got).startsWith(sent.toArray(new String[0])).isSorted().doesNotHaveDuplicates();
        assertThat(got).hasSize((int) (231 - dropped));
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void zeroSlowsPublishersOfBothShardsUntilTheSubscriberCaughtUp() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient near = node.client(1, "near");
        TestClient far = node.client(0, "far");
        TestClient other = node.client(0, "other");
        other.publish("elsewhere", 0, 0, "x");

        subscriber.wire.block();
        List<String> sent = publish(node, near, 0, 20);
        assertThat(near.wire.isRead()).isFalse();
        assertThat(far.wire.isRead()).isTrue();
        sent.addAll(publish(node, far, 20, 21));
        assertThat(far.wire.isRead()).isFalse();
        assertThat(other.wire.isRead()).isTrue();
        assertThat(node.count(Metric.READS_PAUSED)).isEqualTo(2);

        subscriber.wire.take(500);
        node.settle();
        assertThat(near.wire.isRead()).as("not caught up yet").isFalse();

        subscriber.wire.takeAll();
        node.settle();
        assertThat(near.wire.isRead()).isTrue();
        assertThat(far.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).isEqualTo(sent);
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();

        publish(node, far, 21, 22);
        assertThat(subscriber.payloads()).hasSize(22);
    }

    @Test
    void aSlowSubscriberThatGoesLetsThePublishersGoOn() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient near = node.client(1, "near");
        TestClient far = node.client(0, "far");
        subscriber.wire.block();
        publish(node, near, 0, 20);
        publish(node, far, 20, 21);
        assertThat(near.wire.isRead() || far.wire.isRead()).isFalse();

        subscriber.cut();
        node.settle();
        assertThat(near.wire.isRead()).isTrue();
        assertThat(far.wire.isRead()).isTrue();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        assertThat(node.count(Metric.DROPPED_QOS0_OFFLINE)).isPositive();
    }

    @Test
    void oneOfTwoSlowSubscribersKeepsThePublisherWaiting() {
        TestNode node = node(0);
        TestClient first = node.subscriber(1, "s1", 0, "t");
        TestClient second = node.subscriber(0, "s2", 0, "t");
        TestClient publisher = node.client(0, "p");
        first.wire.block();
        second.wire.block();
        publish(node, publisher, 0, 20);
        first.cut();
        node.settle();
        assertThat(publisher.wire.isRead()).isFalse();
        second.wire.takeAll();
        node.settle();
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void aPublisherThatConnectsAgainIsStillSlowed() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p", 3600, 0);
        subscriber.wire.block();
        publish(node, publisher, 0, 20);
        assertThat(publisher.wire.isRead()).isFalse();
        publisher.cut();
        node.settle();

        TestClient again = node.client(0, "p", 3600, 0);
        publish(node, again, 20, 21);
        assertThat(again.wire.isRead()).isFalse();
        TestClient elsewhere = node.client(1, "p", 3600, 0);
        publish(node, elsewhere, 21, 22);
        assertThat(elsewhere.wire.isRead()).isFalse();

        subscriber.wire.takeAll();
        node.settle();
        assertThat(elsewhere.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).hasSize(22);
    }

    @Test
    void aPublisherThatGoesIsForgotten() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        subscriber.wire.block();
        List<String> sent = publish(node, publisher, 0, 20);
        publisher.cut();
        node.settle();
        subscriber.wire.takeAll();
        node.settle();
        assertThat(subscriber.payloads()).isEqualTo(sent);

        TestClient again = node.client(0, "p");
        publish(node, again, 20, 21);
        assertThat(again.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).hasSize(21);
    }

    @Test
    void a_publisher_that_starts_anew_while_the_subscriber_is_slow_waits_after_its_first_message() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        subscriber.wire.block();
        List<String> sent = publish(node, publisher, 0, 20);
        assertThat(publisher.wire.isRead()).isFalse();
        publisher.cut();
        node.settle();

        TestClient anew = node.client(1, "p");
        assertThat(anew.wire.isRead()).isTrue();
        sent.addAll(publish(node, anew, 20, 21));
        assertThat(anew.wire.isRead()).isFalse();

        subscriber.wire.takeAll();
        node.settle();
        assertThat(anew.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).isEqualTo(sent);
    }

    @Test
    void whoIsReadAgainHasHisKeepAliveFromThen() {
        TestNode node = node(0);
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        subscriber.wire.block();
        publish(node, publisher, 0, 20);
        for (int i = 0; i < 5; i++) {
            subscriber.send(Packet.PingReq.INSTANCE);
            node.tick(50_000);
        }
        assertThat(publisher.wire.isClosed()).isFalse();
        subscriber.wire.takeAll();
        node.settle();
        for (int i = 0; i < 12; i++) {
            node.tick(5_000);
        }
        assertThat(publisher.wire.isClosed()).isFalse();
        node.tick(31_000);
        node.tick(31_000);
        assertThat(publisher.wire.isClosed()).isTrue();
        assertThat(node.count(Metric.KEEP_ALIVE_TIMEOUTS)).isPositive();
    }
}
