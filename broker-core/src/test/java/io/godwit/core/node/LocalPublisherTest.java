package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalPublisherTest {
    private final ScriptedReviewer reviewer = new ScriptedReviewer();
    private final List<@Nullable ReasonCode> told = new ArrayList<>();

    private void publish(TestNode node, String topic, String payload, int qos, boolean retain) {
        node.broker()
                .localPublisher()
                .publish(
                        new ReviewedPublish(
                                Topic.of(topic),
                                payload.getBytes(StandardCharsets.UTF_8),
                                PublishFrame.NO_PROPERTIES,
                                qos,
                                retain,
                                false,
                                -1,
                                false,
                                0),
                        told::add);
    }

    @Test
    void messages_are_delivered_in_order_and_nobody_reviews_them() {
        TestNode node = new TestNode(3, new MemoryStore());
        node.context.reviews().reviewer(reviewer);
        TestClient reader = node.subscriber(1, "r", 2, "#", "$SYS/x");
        for (int i = 0; i < 12; i++) {
            publish(node, i == 4 ? "$SYS/x" : "t", "m" + i, i % 3, i % 4 == 3);
        }
        node.settle();
        assertThat(reader.payloads())
                .containsExactly(
                        "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11");
        assertThat(reader.packets())
                .filteredOn(Packet.Publish.class::isInstance)
                .extracting(each -> ((Packet.Publish) each).qos())
                .containsExactly(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2);
        assertThat(told).hasSize(12).containsOnlyNulls();
        assertThat(reviewer.publishes).isEmpty();
        assertThat(node.parkedBytes()).isZero();
        TestClient late = node.subscriber(2, "late", 0, "t");
        assertThat(late.payloads()).containsExactly("m11");
    }

    @Test
    void durable_subscriber_has_the_message_before_it_is_acknowledged() {
        HeldFixture held = new HeldFixture();
        held.durable(1, "r", ProtocolVersion.MQTT_5).subscribe(1, 1, "#");
        held.node.settle();
        held.store.hold();
        publish(held.node, "t", "one", 1, false);
        publish(held.node, "t", "two", 2, false);
        held.node.settle();
        assertThat(told).isEmpty();
        held.release();
        assertThat(told).hasSize(2).containsOnlyNulls();
    }

    @Test
    void failure_of_the_store_is_no_acknowledgement() {
        HeldFixture held = new HeldFixture();
        held.durable(1, "r", ProtocolVersion.MQTT_5).subscribe(1, 1, "#");
        held.node.settle();
        held.store.hold();
        publish(held.node, "t", "one", 1, false);
        held.node.settle();
        held.fail();
        assertThat(told).containsExactly(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
    }

    @Test
    void what_no_client_could_send_is_refused() {
        TestNode node = new TestNode(1, new MemoryStore());
        publish(node, "a/+", "x", 1, false);
        node.settle();
        assertThat(told).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
    }

    @Test
    void too_many_that_wait_are_refused_at_once() {
        TestNode node = new TestNode(1, new MemoryStore());
        TestClient reader = node.subscriber(0, "r", 0, "#");
        for (int i = 0; i < LocalPublisher.MESSAGES_MAX + 3; i++) {
            publish(node, "t", "m", 1, false);
        }
        assertThat(told)
                .containsExactly(
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.QUOTA_EXCEEDED,
                        ReasonCode.QUOTA_EXCEEDED);
        node.settle();
        node.tick(1_000);
        assertThat(told.subList(3, told.size()))
                .hasSize(LocalPublisher.MESSAGES_MAX)
                .containsOnlyNulls();
        assertThat(reader.payloads()).isNotEmpty();
        publish(node, "t", "m", 1, false);
        node.settle();
        assertThat(told).hasSize(LocalPublisher.MESSAGES_MAX + 4).last().isNull();
    }
}
