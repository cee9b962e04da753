package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.bytes;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The retained messages that a broker finds in its store when it starts again. */
class RetainedRestartTest {
    private final RestartFixture f = new RestartFixture();

    @Test
    void come_back_also_those_of_qos_0_and_no_sys_topics() {
        f.node.client(0, "p").publish("a", 0, 0, true, bytes("x"));
        f.node.shards[0].startSysTopics(f.node.shards, 1_000, "1");
        f.node.settle();
        f.node.tick(1_000);
        assertThat(f.state().retained().size()).isEqualTo(1);
        f.crash(0);
        TestClient client = f.durable(1, "s");
        subscribe(client, 1, "a");
        f.node.settle();
        assertThat(client.payloads()).containsExactly("x");
    }

    @Test
    void that_expire_leave_the_store_too() {
        TestClient publisher = f.node.client(1, "p");
        publisher.send(expiring("a", 10));
        publisher.send(expiring("b", 100));
        f.node.settle();
        assertThat(f.state().retained().size()).isEqualTo(2);
        f.node.tick(10_000);
        assertThat(f.state().retained().size()).isEqualTo(1);
        f.crash(90_000);
        assertThat(f.state().retained().size()).isZero();
    }

    private Packet.Publish expiring(String topic, long seconds) {
        return new Packet.Publish(
                Topic.of(topic),
                0,
                false,
                true,
                0,
                Properties.builder().add(Property.MESSAGE_EXPIRY_INTERVAL, seconds).build(),
                bytes("x"));
    }

    @Test
    void stay_when_the_limits_have_no_room_for_them_any_more() {
        TestClient publisher = f.node.client(0, "p");
        for (String topic : new String[] {"a", "b", "c"}) {
            publisher.publish(topic, 0, 0, true, bytes("x"));
        }
        f.node.settle();
        f.limits = retainedAtMost(2);
        f.crash(0);
        f.crash(0);
        assertThat(f.state().retained().size()).isEqualTo(3);
        assertThat(f.node.count(Metric.DROPPED_RETAINED_LIMIT)).isZero();

        TestClient again = f.node.client(0, "p");
        again.publish("d", 0, 0, true, bytes("x"));
        again.publish("a", 0, 0, true, bytes("y"));
        f.node.settle();
        assertThat(f.node.count(Metric.DROPPED_RETAINED_LIMIT)).as("what is new").isEqualTo(1);
        assertThat(f.state().retained().size()).isEqualTo(3);
        assertThat(Objects.requireNonNull(f.state().retained().get(Topic.of("a"))).payload)
                .isEqualTo(bytes("y"));
        assertThat(f.state().retained().get(Topic.of("d"))).isNull();
    }

    private static LimitSettings retainedAtMost(int messages) {
        return Limits.with(l -> l.retainedMessages = messages);
    }
}
