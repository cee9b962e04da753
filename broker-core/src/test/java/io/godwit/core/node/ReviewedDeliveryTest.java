package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.ScriptedDeliveries.Asked;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PUBLISHes that a reviewer sees on their way to a client: their order, and how they end. */
class ReviewedDeliveryTest {
    private final ScriptedDeliveries reviewer = new ScriptedDeliveries();
    private TestNode node = new TestNode(1, new MemoryStore());

    @BeforeEach
    void review() {
        node.context.reviews().deliveries(reviewer);
    }

    private TestClient durable(String clientId, int qos, String... filters) {
        TestClient client = node.client(0, clientId, 1_000, 0);
        client.subscribe(1, qos, filters);
        node.settle();
        return client;
    }

    /**
     * Publishes messages of QoS 2 from a client of its own; an {@code unseen} one to that topic.
     */
    private void publish(String... payloads) {
        TestClient publisher = node.client(0, "p");
        int packetId = 0;
        for (String each : payloads) {
            publisher.publish(each.startsWith("unseen") ? "unseen" : "t", 2, ++packetId, each);
        }
        node.settle();
        assertThat(publisher.acks(PacketType.PUBREC)).hasSize(payloads.length);
    }

    private List<String> asked() {
        return reviewer.asked.stream().map(Asked::payload).toList();
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    private void assertNothingIsAccounted() {
        assertThat(node.queuedBytes()).isZero();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.inFlightBytes()).isZero();
    }

    /** Acknowledges everything that has come. */
    private void acknowledge(TestClient client) {
        for (Packet.Publish each : publishes(client)) {
            if (each.qos() == 1) {
                client.ack(PacketType.PUBACK, each.packetId());
            } else if (each.qos() == 2) {
                client.ack(PacketType.PUBREC, each.packetId());
                node.settle();
                client.ack(PacketType.PUBCOMP, each.packetId());
            }
        }
        node.settle();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void messages_leave_in_their_order_with_those_that_nobody_sees(int qos) {
        TestClient reader = durable("r", qos, "#");
        publish("m1", "m2", "unseen", "m4");

        assertThat(asked()).containsExactly("m1", "m2", "m4");
        Asked first = reviewer.next();
        reviewer.next().go();
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        first.go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1", "m2", "unseen", "m4");
        assertThat(publishes(reader)).noneMatch(Packet.Publish::dup);
        acknowledge(reader);
        assertNothingIsAccounted();
    }

    @Test
    void reviewer_is_shown_what_the_client_would_get() {
        TestClient reader = durable("r", 1, "#");
        TestClient publisher = node.client(0, "p");
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        2,
                        false,
                        true,
                        1,
                        Properties.builder()
                                .add(Property.CONTENT_TYPE, "text")
                                .add(Property.PAYLOAD_FORMAT_INDICATOR, 1)
                                .add(Property.MESSAGE_EXPIRY_INTERVAL, 7)
                                .build(),
                        "x".getBytes(StandardCharsets.UTF_8)));
        node.settle();

        Asked asked = reviewer.next();
        assertThat(asked.receiverId()).isEqualTo("r");
        assertThat(asked.publish().topic()).isEqualTo(Topic.of("t"));
        assertThat(asked.publish().qos()).isEqualTo(1);
        assertThat(asked.publish().packetId()).isEqualTo(1);
        assertThat(asked.publish().retain()).isFalse(); // As the subscription has it.
        assertThat(asked.publish().dup()).isFalse();
        assertThat(asked.publish().expirySeconds()).isEqualTo(7);
        assertThat(asked.publish().payloadIsText()).isTrue();
        asked.go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("x");
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void changed_message_is_that_of_one_client(ProtocolVersion version) {
        TestClient changed = node.open(0, version);
        changed.connect("changed", false, 100, 0);
        node.settle();
        changed.subscribe(1, 2, "#");
        TestClient other = durable("other", 2, "#");
        TestClient publisher = node.client(0, "p");
        for (int qos = 0; qos <= 2; qos++) {
            publisher.publish(
                    "t", qos, qos == 0 ? 0 : qos, true, "x".getBytes(StandardCharsets.UTF_8));
        }
        node.settle();
        assertThat(reviewer.asked).hasSize(6);
        while (!reviewer.asked.isEmpty()) {
            Asked asked = reviewer.next();
            if (asked.receiverId().equals("changed")) {
                asked.go(asked.changed("new/topic", "changed" + asked.publish().qos(), true));
            } else {
                asked.go();
            }
        }
        node.settle();

        assertThat(changed.payloads()).containsExactly("changed0", "changed1", "changed2");
        assertThat(publishes(changed))
                .allMatch(each -> Topic.of("new/topic").equals(each.topic()) && each.retain());
        assertThat(publishes(changed)).extracting(Packet.Publish::qos).containsExactly(0, 1, 2);
        assertThat(other.payloads()).containsExactly("x", "x", "x");
        assertThat(publishes(other)).noneMatch(Packet.Publish::retain);
        TestClient late = durable("late", 1, "t");
        assertThat(reviewer.goAll()).isEqualTo(1);
        node.settle();
        assertThat(late.payloads()).containsExactly("x");
        for (TestClient each : List.of(changed, other, late)) {
            acknowledge(each);
        }
        assertNothingIsAccounted();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void dropped_message_ends_as_if_it_was_acknowledged(int qos) {
        TestClient reader = node.client(0, "r", 1_000, 2);
        reader.subscribe(1, qos, "#");
        publish("m1", "m2", "m3", "m4", "m5");

        for (int i = 1; i <= 5; i++) {
            reviewer.next().drop();
            node.settle();
        }
        assertThat(reviewer.asked).isEmpty();
        assertThat(reader.payloads()).isEmpty();
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(5);
        assertThat(node.session("r").inFlightCount()).isZero();
        assertNothingIsAccounted();
        publish("last");
        reviewer.goAll();
        node.settle();
        assertThat(reader.payloads()).containsExactly("last");
    }

    @Test
    void unanswered_message_of_qos_0_is_dropped() {
        TestClient reader = durable("r", 0, "#");
        publish("m1", "m2");
        reviewer.next().fail();
        reviewer.next().go();
        node.settle();

        assertThat(reader.payloads()).containsExactly("m2");
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(1);
        assertNothingIsAccounted();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void unanswered_message_is_shown_again_after_a_pause_and_ends_after_five_times(int qos) {
        TestClient reader = durable("r", qos, "#");
        publish("m1", "m2");
        Asked second = reviewer.asked.remove(1);
        second.go();
        for (int pauseMs = 1_000; pauseMs <= 8_000; pauseMs *= 2) {
            reviewer.next().fail();
            node.settle();
            node.tick(pauseMs - 200);
            assertThat(reviewer.asked).isEmpty();
            node.tick(400);
            assertThat(asked()).containsExactly("m1");
            assertThat(reader.payloads()).isEmpty();
        }
        reviewer.next().fail();
        node.settle();

        assertThat(reader.payloads()).containsExactly("m2");
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(1);
        acknowledge(reader);
        assertNothingIsAccounted();
    }

    @Test
    void message_that_nobody_could_be_asked_about_is_shown_until_somebody_can() {
        TestClient reader = durable("r", 1, "#");
        publish("m1");
        reviewer.next().fail();
        node.settle();
        for (int pauseMs : List.of(1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000)) {
            reader.send(Packet.PingReq.INSTANCE); // For its keep alive.
            node.tick(pauseMs - 200);
            assertThat(reviewer.asked).isEmpty();
            node.tick(400);
            assertThat(asked()).containsExactly("m1");
            reviewer.next().notAsked();
            node.settle();
        }
        for (int failures = 2; failures < 5; failures++) {
            reader.send(Packet.PingReq.INSTANCE);
            node.tick(29_800);
            node.tick(400);
            reviewer.next().fail();
            node.settle();
        }
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isZero();
        reader.send(Packet.PingReq.INSTANCE);
        node.tick(29_800);
        node.tick(400);
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
        acknowledge(reader);
        assertNothingIsAccounted();
    }

    @Test
    void message_of_qos_0_that_nobody_could_be_asked_about_is_dropped() {
        TestClient reader = durable("r", 0, "#");
        publish("m1");
        reviewer.next().notAsked();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(1);
        assertNothingIsAccounted();
    }

    @Test
    void client_that_nobody_reviews_does_not_wait_for_one_that_is_reviewed() {
        TestClient reviewed = durable("r", 1, "#");
        TestClient other = durable("other", 1, "#");
        reviewer.unseen = "other";
        publish("m1");
        assertThat(other.payloads()).containsExactly("m1");
        assertThat(reviewed.payloads()).isEmpty();
        assertThat(asked()).containsExactly("m1");
    }

    @Test
    void pause_begins_anew_after_an_answer_and_has_an_end() {
        TestClient reader = durable("r", 1, "#");
        publish("m1", "m2", "m3");
        reviewer.asked.get(1).fail();
        reviewer.asked.get(2).fail();
        Asked first = reviewer.next();
        reviewer.asked.clear();
        first.fail();
        node.settle();
        node.tick(1_100);
        reviewer.next().go();
        node.settle();
        // m2 has failed, too: its pause is the first since an answer.
        node.tick(1_100);
        for (int pauseMs : List.of(2_000, 4_000, 8_000)) {
            assertThat(asked()).containsExactly("m2");
            reviewer.next().fail();
            node.settle();
            node.tick(pauseMs + 100);
        }
        reviewer.next().fail(); // The fifth time: m3 is next, which has failed once.
        node.settle();
        for (int pauseMs : List.of(16_000, 30_000, 30_000, 30_000)) {
            reader.send(Packet.PingReq.INSTANCE); // For its keep alive.
            node.tick(pauseMs - 200);
            assertThat(reviewer.asked).isEmpty();
            node.tick(400);
            assertThat(asked()).containsExactly("m3");
            reviewer.next().fail();
            node.settle();
        }
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(2);
        assertThat(node.session("r").inFlightCount()).isEqualTo(1); // m1 is not acknowledged.
    }

    @Test
    void late_and_second_answers_are_ignored() {
        TestClient reader = durable("r", 1, "#");
        publish("m1");
        Asked first = reviewer.next();
        first.fail();
        first.go();
        node.settle();
        node.tick(1_100);
        first.go();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        Asked again = reviewer.next();
        again.go();
        again.drop();
        node.settle();
        again.go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void next_connection_sends_again_what_was_under_review_and_asks_again(int qos) {
        TestClient reader = durable("r", qos, "#");
        publish("m1", "m2");
        Asked before = reviewer.next();
        reviewer.asked.clear();
        reader.cut();
        node.settle();
        before.go();
        node.settle();
        TestClient again = node.client(0, "r", 1_000, 0);

        assertThat(asked()).containsExactly("m1", "m2");
        assertThat(reviewer.asked).allMatch(each -> each.publish().dup());
        assertThat(again.payloads()).isEmpty();
        before.drop();
        reviewer.goAll();
        node.settle();
        assertThat(again.payloads()).containsExactly("m1", "m2");
        acknowledge(again);
        assertNothingIsAccounted();
    }

    /** A client that may have it does not take another message under its packet id until PUBREL. */
    @Test
    void message_of_qos_2_that_has_left_before_it_is_dropped_ends_with_pubrel() {
        TestClient reader = durable("r", 2, "#");
        publish("m1", "m2");
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
        reviewer.asked.clear();
        reader.cut();
        node.settle();
        TestClient again = node.client(0, "r", 1_000, 0);
        reviewer.next().drop();
        reviewer.next().drop(); // It has never left.
        node.settle();
        assertThat(again.payloads()).isEmpty();
        assertThat(again.acks(PacketType.PUBREL)).containsExactly(1);
        assertThat(node.session("r").inFlightCount()).isEqualTo(1);
        again.ack(PacketType.PUBCOMP, 1);
        node.settle();
        assertThat(node.session("r").inFlightCount()).isZero();
        assertNothingIsAccounted();
    }

    @Test
    void what_was_under_review_of_qos_0_is_gone_with_the_connection() {
        TestClient reader = durable("r", 0, "#");
        publish("m1", "m2");
        reader.cut();
        node.settle();
        assertThat(node.count(Metric.DROPPED_QOS0_OFFLINE)).isEqualTo(2);
        assertNothingIsAccounted();
        reviewer.goAll();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
    }

    @Test
    void message_that_the_client_has_acknowledged_unseen_does_not_leave() {
        TestClient reader = durable("r", 1, "#");
        publish("m1", "m2");
        reader.ack(PacketType.PUBACK, 1);
        node.settle();
        reviewer.goAll();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m2");
    }

    @Test
    void nothing_else_waits_for_a_review() {
        TestClient slow = durable("slow", 1, "#");
        TestClient other = node.subscriber(0, "other", 1, "unseen");
        publish("m1", "unseen");
        assertThat(other.payloads()).containsExactly("unseen");
        slow.publish("elsewhere/unseen", 1, 7, "x");
        slow.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(slow.acks(PacketType.PUBACK)).containsExactly(7);
        assertThat(slow.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(slow.payloads()).isEmpty();
    }

    @Test
    void few_are_shown_at_the_same_time_and_one_when_the_reviewer_has_enough_to_do() {
        durable("r", 1, "#");
        String[] payloads = new String[100];
        for (int i = 0; i < payloads.length; i++) {
            payloads[i] = "m" + i;
        }
        publish(payloads);
        assertThat(reviewer.asked).hasSize(16);
        reviewer.next().go();
        node.settle();
        assertThat(reviewer.asked).hasSize(16);
        reviewer.isFull = true;
        for (int i = 15; i > 0; i--) {
            reviewer.next().go();
            node.settle();
            assertThat(reviewer.asked).hasSize(i);
        }
        reviewer.next().go();
        node.settle();
        assertThat(reviewer.asked).hasSize(1);
    }

    @Test
    void without_a_reviewer_all_goes_on() {
        TestClient reader = durable("r", 1, "#");
        publish("m1", "m2", "m3");
        node.context.reviews().deliveries(null);
        publish("m4");
        reviewer.next().go();
        reviewer.next().fail();
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
        node.tick(1_100);
        assertThat(reader.payloads()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void messages_of_qos_0_are_bounded_like_those_of_a_client_that_reads_too_slowly() {
        node =
                new TestNode(
                        1,
                        LimitSettings.DEFAULTS,
                        new OverloadSettings(
                                10, 1 << 20, 1 << 18, 50_000, 1L << 30, 1 << 20, 1_000));
        review();
        TestClient reader = node.subscriber(0, "r", 0, "#");
        TestClient publisher = node.client(0, "p");
        for (int i = 0; i < 30; i++) {
            publisher.publish("t", 0, 0, "m" + i);
        }
        node.settle();
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isEqualTo(20);
        assertThat(node.queuedMessages()).isEqualTo(10);
        while (reviewer.goAll() > 0) {
            node.settle();
        }
        assertThat(reader.payloads()).hasSize(10);
        assertNothingIsAccounted();
    }

    @Test
    void message_that_was_made_too_large_for_its_client_ends() {
        TestClient reader = node.open(0, ProtocolVersion.MQTT_5);
        reader.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("r"),
                        false,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.MAXIMUM_PACKET_SIZE, 100)
                                .add(Property.RECEIVE_MAXIMUM, 1)
                                .build()));
        node.settle();
        reader.subscribe(1, 2, "#");
        publish("m1", "m2");
        reviewer.next().change("x".repeat(200));
        node.settle();
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(1);
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m2");
    }

    @Test
    void answer_that_is_no_mqtt_is_none() {
        TestClient reader = durable("r", 1, "#");
        publish("m1");
        Asked asked = reviewer.next();
        asked.go(asked.changed("a/+", "x", false));
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        node.tick(1_100);
        reviewer.next().go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
    }

    @Test
    void large_messages_leave_one_behind_the_other() {
        TestClient reader = durable("r", 1, "#");
        String large = "x".repeat(200_000);
        publish(large, "unseen", large);
        reviewer.goAll();
        node.settle();
        assertThat(reader.payloads()).containsExactly(large, "unseen", large);
        acknowledge(reader);
        assertNothingIsAccounted();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void dropped_message_of_a_group_goes_to_no_other_member(int qos) {
        TestClient one = durable("one", qos, "$share/g/t");
        TestClient other = durable("other", qos, "$share/g/t");
        publish("m1", "m2", "m3", "m4");
        while (!reviewer.asked.isEmpty()) {
            Asked asked = reviewer.next();
            if (asked.payload().equals("m1")) {
                asked.drop();
            } else {
                asked.go();
            }
            node.settle();
        }
        assertThat(one.payloads().size() + other.payloads().size()).isEqualTo(3);
        assertThat(one.payloads()).doesNotContain("m1");
        acknowledge(one);
        acknowledge(other);
        assertThat(node.group("$share/g/t").waitingMessages()).isZero();
        assertNothingIsAccounted();
    }

    /** Nobody has got it, so somebody else may [MQTT-4.8.2-5]. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void message_of_a_group_that_is_under_review_when_the_session_ends_goes_to_another_member(
            int qos) {
        TestClient one = node.subscriber(0, "one", qos, "$share/g/t");
        publish("m1");
        assertThat(asked()).containsExactly("m1");
        reviewer.asked.clear();
        TestClient other = node.subscriber(0, "other", qos, "$share/g/t");
        one.cut();
        node.settle();
        assertThat(asked()).containsExactly("m1");
        reviewer.goAll();
        node.settle();
        assertThat(other.payloads()).containsExactly("m1");
    }
}
