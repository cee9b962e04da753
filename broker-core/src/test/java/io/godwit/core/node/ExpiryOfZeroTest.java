package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Message Expiry Interval 0: for those who are online [MQTT-3.3.2-5, -6]. */
class ExpiryOfZeroTest {
    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private void publish(int qos) {
        node.client(0, "p")
                .send(
                        new Packet.Publish(
                                Topic.of("t"),
                                qos,
                                false,
                                false,
                                qos == 0 ? 0 : 1,
                                Properties.builder()
                                        .add(Property.MESSAGE_EXPIRY_INTERVAL, 0)
                                        .build(),
                                "now".getBytes(UTF_8)));
        node.settle();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void live_publish_goes_to_a_subscriber_that_is_online(int qos) {
        for (String filter : new String[] {"t", "$share/g/t"}) {
            TestClient subscriber = node.client(1, filter, 0, 0);
            subscriber.subscribe(1, qos, filter);
            node.settle();
            publish(qos);
            assertThat(subscriber.payloads()).containsExactly("now");
            Packet.Publish came =
                    (Packet.Publish)
                            subscriber.packets().stream()
                                    .filter(each -> each.type() == PacketType.PUBLISH)
                                    .findFirst()
                                    .orElseThrow();
            assertThat(came.properties().number(Property.MESSAGE_EXPIRY_INTERVAL, -1)).isZero();
            subscriber.cut();
            node.settle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "$share/g/t"})
    void live_publish_is_discarded_for_a_durable_session_that_is_offline(String filter) {
        TestClient subscriber = node.client(1, "s", 600, 0);
        subscriber.subscribe(1, 1, filter);
        node.settle();
        subscriber.cut();
        node.settle();
        publish(1);
        node.tick(500);
        TestClient back = node.client(1, "s", 600, 0);
        node.settle();
        assertThat(back.payloads()).isEmpty();
        assertThat(node.count(Metric.DROPPED_EXPIRED)).isEqualTo(1);
    }

    @Test
    void message_that_waits_behind_a_full_window_is_discarded_soon() {
        TestClient subscriber = node.client(1, "s", 600, 1);
        subscriber.subscribe(1, 1, "t");
        node.settle();
        publish(1);
        publish(1);
        node.tick(1_000);
        subscriber.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(subscriber.payloads()).containsExactly("now");
        assertThat(node.count(Metric.DROPPED_EXPIRED)).isEqualTo(1);
    }
}
