package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durable sessions that take everything and fetch nothing do not fill the node's queues. */
class IdleSessionsTest {
    private static final int IDLE = 20;
    private static final int OF_ONE = 100;
    private static final int OF_ALL = 1_000;

    @SuppressWarnings("NullAway.Init") // set by node(...)
    private TestNode node;

    @SuppressWarnings("NullAway.Init") // set by node(...)
    private TestClient publisher;

    private int published;

    private void node(QueuePolicy policy, long messages, long bytes) {
        node =
                new TestNode(
                        2,
                        MqttSettings.DEFAULTS,
                        LimitSettings.DEFAULTS,
                        new QueueSettings(messages, bytes, policy, messages * 10, bytes * 10, 4),
                        OverloadSettings.DEFAULTS,
                        new MemoryStore());
        publisher = node.client(0, "p");
    }

    private void idle(int count, String filter) {
        for (int i = 0; i < count; i++) {
            TestClient client = node.client(i % 2, filter + i, 3600, 0);
            client.subscribe(1, 1, filter);
            node.settle();
            client.cut();
        }
        node.settle();
    }

    /** Publishes for so many ticks. */
    private void publish(String topic, int ticks) {
        for (int i = 0; i < ticks; i++) {
            publisher.publish(topic, 1, 1, String.valueOf(published++));
            node.tick(100);
        }
    }

    private static List<String> last(int count, int until) {
        List<String> all = new ArrayList<>();
        for (int i = until - count; i < until; i++) {
            all.add(String.valueOf(i));
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void others_go_on_and_keep_what_is_theirs(QueuePolicy policy) {
        node(policy, OF_ONE, 1 << 20);
        idle(IDLE, "#");
        publish("t", 2 * OF_ONE);
        assertThat(node.context.load().isQueuesFull()).isFalse();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(node.keptMessages()).isBetween(OF_ALL / 2L, OF_ALL - 1L);
        assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isPositive();

        idle(1, "mine");
        publish("mine", 10);
        TestClient back = node.client(1, "mine0", 3600, 0);
        assertThat(back.payloads()).isEqualTo(last(10, published));
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void bytes_count_as_messages_do() {
        node(QueuePolicy.DISCARD_NEWEST, 1_000_000, 20_000);
        idle(IDLE, "#");
        publish("t", 500);
        assertThat(node.context.load().isQueuesFull()).isFalse();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(node.keptBytes()).isBetween(100_000L, 199_999L);
    }

    @Test
    void when_they_have_gone_a_queue_may_hold_as_much_as_ever() {
        node(QueuePolicy.DISCARD_NEWEST, OF_ONE, 1 << 20);
        idle(IDLE, "#");
        publish("t", 2 * OF_ONE);
        for (int i = 0; i < IDLE; i++) {
            TestClient client = node.open(0, ProtocolVersion.MQTT_5);
            client.connect("#" + i, true, 0, 0);
            node.settle();
        }
        idle(1, "mine");
        publish("mine", OF_ONE);
        assertThat(node.keptMessages()).isEqualTo(OF_ONE);
    }
}
