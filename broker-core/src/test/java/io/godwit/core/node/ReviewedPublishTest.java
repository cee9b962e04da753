package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.ScriptedReviewer.AskedPublish;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PUBLISHes that a reviewer sees: their order, their acknowledgements, and what a late answer does.
 */
class ReviewedPublishTest {
    private final ScriptedReviewer reviewer = new ScriptedReviewer();
    private TestNode node = new TestNode(1, new MemoryStore());

    @BeforeEach
    void review() {
        node.context.reviews().reviewer(reviewer);
    }

    private TestClient publisher(ProtocolVersion version, boolean isDurable) {
        TestClient client = node.open(0, version);
        client.connect("p", !isDurable, isDurable ? 100 : 0, 0);
        node.settle();
        return client;
    }

    private List<String> texts() {
        return reviewer.publishes.stream().map(AskedPublish::payload).toList();
    }

    private AskedPublish asked(int number) {
        return reviewer.publishes.get(number);
    }

    private static List<Integer> reasons(TestClient client, PacketType type) {
        return client.packets().stream()
                .filter(each -> each instanceof Packet.Ack ack && ack.type() == type)
                .map(each -> ((Packet.Ack) each).reason().code())
                .toList();
    }

    private static ReviewedPublish changed(
            ReviewedPublish from, String topic, String payload, int qos) {
        return new ReviewedPublish(
                Topic.of(topic),
                payload.getBytes(StandardCharsets.UTF_8),
                from.properties(),
                qos,
                from.retain(),
                from.dup(),
                from.expirySeconds(),
                from.payloadIsText(),
                from.packetId());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void answers_are_applied_in_the_order_of_the_publishes(int qos) {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, true);
        for (int i = 1; i <= 4; i++) {
            client.publish(i == 3 ? "unseen" : "t", qos, qos == 0 ? 0 : i, "m" + i);
        }
        node.settle();
        assertThat(texts()).containsExactly("m1", "m2", "m4");
        asked(2).go();
        asked(1).go();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        assertThat(client.acks(PacketType.PUBACK)).isEmpty();
        assertThat(client.acks(PacketType.PUBREC)).isEmpty();
        asked(0).go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1", "m2", "m3", "m4");
        if (qos > 0) {
            assertThat(client.acks(qos == 1 ? PacketType.PUBACK : PacketType.PUBREC))
                    .containsExactly(1, 2, 3, 4);
        }
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void without_a_reviewer_nothing_waits_and_what_waited_goes_first() {
        TestClient reader = node.subscriber(0, "r", 1, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        client.publish("t", 1, 1, "m1");
        node.context.reviews().reviewer(null);
        client.publish("t", 1, 2, "m2");
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        asked(0).go();
        node.settle();
        client.publish("t", 1, 3, "m3");
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1", "m2", "m3");
        assertThat(reviewer.publishes).hasSize(1);
    }

    @Test
    void second_answer_is_ignored() {
        TestClient reader = node.subscriber(0, "r", 1, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        client.publish("t", 1, 1, "m1");
        node.settle();
        asked(0).go();
        asked(0).refuse(ReasonCode.NOT_AUTHORIZED);
        node.settle();
        asked(0).go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1");
        assertThat(reasons(client, PacketType.PUBACK)).containsExactly(0);
    }

    @Test
    void changed_message_goes_on_and_the_client_gets_the_acknowledgement_of_its_own() {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, true);
        for (int qos = 0; qos <= 2; qos++) {
            for (int to = 0; to <= 2; to++) {
                int id = 1 + qos * 3 + to;
                client.publish("t", qos, qos == 0 ? 0 : id, "x");
                node.settle();
                AskedPublish asked = reviewer.publishes.getLast();
                asked.go(changed(asked.publish(), "new/" + qos, qos + "to" + to, to));
                node.settle();
            }
        }
        assertThat(reader.packets())
                .filteredOn(Packet.Publish.class::isInstance)
                .extracting(each ->
                        ((Packet.Publish) each).topic() + " " + ((Packet.Publish) each).qos())
                .containsExactly(
                        "new/0 0", "new/0 1", "new/0 2", "new/1 0", "new/1 1", "new/1 2", "new/2 0",
                        "new/2 1", "new/2 2");
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(4, 5, 6);
        assertThat(client.acks(PacketType.PUBREC)).containsExactly(7, 8, 9);
        for (int id = 7; id <= 9; id++) {
            client.ack(PacketType.PUBREL, id);
        }
        node.settle();
        assertThat(reasons(client, PacketType.PUBCOMP)).containsExactly(0, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/#", "+", "too long", "too deep"})
    void change_that_is_no_publish_is_a_failed_review(String mistake) {
        String topic =
                switch (mistake) {
                    case "too long" -> "x".repeat(65_536);
                    case "too deep" -> "/".repeat(500);
                    default -> mistake;
                };
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        client.publish("t", 1, 1, "x");
        client.publish("t", 0, 0, "x");
        node.settle();
        asked(0).go(changed(asked(0).publish(), topic, "y", 1));
        asked(1).go(changed(asked(1).publish(), topic, "y", 0));
        node.settle();
        assertThat(reasons(client, PacketType.PUBACK)).containsExactly(0x83);
        assertThat(client.isClosed()).isFalse();
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void dropped_is_acknowledged_as_a_success_and_counted(ProtocolVersion version) {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(version, true);
        for (int qos = 0; qos <= 2; qos++) {
            client.publish("t", qos, qos, "m" + qos);
        }
        node.settle();
        reviewer.publishes.forEach(AskedPublish::drop);
        node.settle();
        client.publishAgain("t", 2, 2, "m2");
        client.ack(PacketType.PUBREL, 2);
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        assertThat(reasons(client, PacketType.PUBACK)).containsExactly(0);
        assertThat(reasons(client, PacketType.PUBREC)).containsExactly(0, 0);
        assertThat(reasons(client, PacketType.PUBCOMP)).containsExactly(0);
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(3);
        assertThat(reviewer.publishes).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void refused_goes_nowhere(ProtocolVersion version) {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(version, false);
        for (int qos = 0; qos <= 2; qos++) {
            client.publish("t", qos, qos, "m" + qos);
        }
        node.settle();
        asked(0).refuse(ReasonCode.NOT_AUTHORIZED);
        asked(1).refuse(ReasonCode.QUOTA_EXCEEDED);
        asked(2).refuse(ReasonCode.BANNED); // No code of PUBREC.
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        assertThat(reasons(client, PacketType.PUBACK)).containsExactly(version.isV5() ? 0x97 : 0);
        assertThat(reasons(client, PacketType.PUBREC)).containsExactly(version.isV5() ? 0x80 : 0);
        assertThat(client.isClosed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void failed_is_told_to_a_client_of_5_0(int qos) {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        client.publish("t", 0, 0, "m0");
        client.publish("t", qos, 1, "m1");
        client.publish("t", qos, 2, "m2");
        node.settle();
        asked(0).fail();
        asked(1).fail();
        asked(2).go();
        node.settle();
        assertThat(reasons(client, qos == 1 ? PacketType.PUBACK : PacketType.PUBREC))
                .containsExactly(0x83, 0);
        assertThat(reader.payloads()).containsExactly("m2");
        assertThat(node.count(Metric.DROPPED_EXTENSION)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void failed_closes_an_older_client_which_sends_it_again_with_all_behind_it(int qos) {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_3_1_1, true);
        client.publish("t", 0, 0, "m0");
        client.publish("t", qos, 1, "m1");
        client.publish("t", qos, 2, "m2");
        node.settle();
        reviewer.publishes.getLast().go();
        asked(0).fail();
        asked(1).fail();
        node.settle();
        assertThat(client.isClosed()).isTrue();
        assertThat(client.packets()).hasSize(1);
        assertThat(reader.payloads()).isEmpty();
        assertThat(node.parkedBytes()).isZero();
        TestClient back = publisher(ProtocolVersion.MQTT_3_1_1, true);
        back.publishAgain("t", qos, 1, "m1");
        back.publishAgain("t", qos, 2, "m2");
        node.settle();
        asked(3).go();
        asked(4).go();
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1", "m2");
        assertThat(back.acks(qos == 1 ? PacketType.PUBACK : PacketType.PUBREC))
                .containsExactly(1, 2);
    }

    @Test
    void qos_2_that_comes_again_calls_nobody() {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, true);
        client.publish("t", 2, 1, "m1");
        client.publishAgain("t", 2, 1, "m1");
        node.settle();
        assertThat(reviewer.publishes).hasSize(1);
        asked(0).go();
        node.settle();
        assertThat(client.acks(PacketType.PUBREC)).containsExactly(1);
        client.publish("t", 2, 2, "m2");
        client.publishAgain("t", 2, 1, "m1");
        client.ack(PacketType.PUBREL, 1); // Overtakes what waits behind m2.
        node.settle();
        assertThat(reviewer.publishes).hasSize(2);
        asked(1).go();
        node.settle();
        assertThat(client.acks(PacketType.PUBREC)).containsExactly(1, 2, 1);
        assertThat(reader.payloads()).containsExactly("m1", "m2");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void disconnect_and_a_lost_socket_behind_a_publish_do_not_lose_it(int qos) {
        for (boolean isDurable : new boolean[] {false, true}) {
            for (boolean isCut : new boolean[] {false, true}) {
                node = new TestNode(1, new MemoryStore());
                review();
                reviewer.publishes.clear();
                TestClient reader = node.subscriber(0, "r", 2, "#");
                TestClient client = publisher(ProtocolVersion.MQTT_5, isDurable);
                client.publish("t", qos, qos == 0 ? 0 : 1, "m1");
                client.publish("t", qos, qos == 0 ? 0 : 2, "m2");
                if (isCut) {
                    client.cut();
                } else {
                    client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
                }
                node.settle();
                assertThat(client.isClosed() || isCut).isTrue();
                asked(1).go();
                asked(0).go();
                node.settle();
                assertThat(reader.payloads()).containsExactly("m1", "m2");
                assertThat(node.parkedBytes()).isZero();
            }
        }
    }

    @Test
    void takeover_waits_for_what_is_reviewed() {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, true);
        client.publish("t", 2, 1, "m1");
        node.settle();
        TestClient next = publisher(ProtocolVersion.MQTT_5, true);
        assertThat(next.packets()).isEmpty();
        asked(0).go();
        node.settle();
        assertThat(next.count(PacketType.CONNACK)).isEqualTo(1);
        next.publishAgain("t", 2, 1, "m1");
        node.settle();
        assertThat(next.acks(PacketType.PUBREC)).containsExactly(1);
        assertThat(reviewer.publishes).hasSize(1);
        assertThat(reader.payloads()).containsExactly("m1");
    }

    @Test
    void failed_behind_a_lost_socket_gives_up_what_is_behind_it() {
        TestClient reader = node.subscriber(0, "r", 2, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, true);
        client.publish("t", 1, 1, "m1");
        client.publish("t", 1, 2, "m2");
        client.cut();
        node.settle();
        asked(1).go();
        asked(0).fail();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        assertThat(node.parkedBytes()).isZero();
        assertThat(publisher(ProtocolVersion.MQTT_5, true).packets()).hasSize(1);
    }

    @Test
    void connection_with_a_thousand_publishes_is_not_decoded_until_one_is_answered() {
        TestClient reader = node.subscriber(0, "r", 0, "#");
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        for (int i = 0; i < 1_200; i++) {
            client.publish("t", 0, 0, "m" + i);
        }
        node.settle();
        assertThat(reviewer.publishes).hasSize(1_000);
        asked(0).go();
        node.settle();
        assertThat(reviewer.publishes).hasSize(1_001);
        client.cut();
        node.settle();
        for (int i = 1; i < 1_200; i++) {
            asked(i).go();
            node.settle();
        }
        assertThat(reader.payloads()).hasSize(1_200);
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void publishers_are_not_decoded_while_the_reviewer_has_enough_to_do() {
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        reviewer.isFull = true;
        client.publish("t", 1, 1, "first");
        client.publish("t", 1, 2, "second");
        node.settle();
        assertThat(reviewer.publishes).hasSize(1);
        asked(0).go();
        node.settle();
        node.tick(1_000);
        assertThat(reviewer.publishes).hasSize(1);
        reviewer.isFull = false;
        node.tick(1_000);
        assertThat(reviewer.publishes).hasSize(2);
        asked(1).go();
        node.settle();
        assertThat(client.packets().stream().filter(each -> each.type() == PacketType.PUBACK))
                .hasSize(2);
    }

    @Test
    void bytes_that_are_reviewed_are_bounded_and_accounted() {
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        byte[] large = new byte[400 << 10];
        for (int i = 0; i < 5; i++) {
            client.publish("t", 0, 0, false, large);
        }
        node.settle();
        assertThat(reviewer.publishes).hasSize(3);
        assertThat(node.parkedBytes()).isBetween(3L * large.length, 3L * large.length + 2_000);
        node.tick(1_000);
        assertThat(node.context.load().memory().account(MemoryClass.EXTENSIONS))
                .isEqualTo(node.parkedBytes());
        assertThat(node.context.load().memory().account(MemoryClass.PARKED)).isZero();
        assertThat(client.isRead()).isFalse();
        reviewer.publishes.forEach(AskedPublish::drop);
        node.settle();
        assertThat(reviewer.publishes).hasSize(5);
        assertThat(client.isRead()).isTrue();
    }

    @Test
    void receive_maximum_counts_what_is_reviewed() {
        MqttSettings of = MqttSettings.DEFAULTS;
        MqttSettings two =
                new MqttSettings(
                        2,
                        of.topicAliasMaximum(),
                        of.topicAliasMaximumOutbound(),
                        of.maximumPacketSize(),
                        of.maximumQos(),
                        of.keepAliveMaximum(),
                        of.retainAvailable(),
                        of.wildcardSubscriptions(),
                        of.sharedSubscriptions(),
                        of.subscriptionIdentifiers(),
                        of.sessionExpiryMaximum(),
                        of.sessionExpiry3x(),
                        of.inFlight3x(),
                        of.sharedStrategy(),
                        of.responseInformation(),
                        of.controlCharacters());
        node = new TestNode(1, two, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        review();
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        client.publish("t", 1, 1, "m");
        client.publish("t", 2, 2, "m");
        node.settle();
        assertThat(client.isClosed()).isFalse();
        client.publish("t", 1, 3, "m");
        node.settle();
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void permission_is_asked_of_what_was_made() {
        TestClient reader = node.subscriber(0, "r", 1, "#", "$SYS/x");
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        for (int i = 1; i <= 3; i++) {
            client.publish("t", 1, i, "m" + i);
        }
        node.settle();
        // Without rules only the system's tree is closed.
        answer(0, "$SYS/x", Permission.BY_RULES);
        answer(1, "$SYS/x", Permission.GRANTED);
        answer(2, "t", Permission.BY_RULES_ALONE);
        node.settle();
        assertThat(reasons(client, PacketType.PUBACK)).containsExactly(0x87, 0, 0x87);
        assertThat(reader.payloads()).containsExactly("m2");
    }

    private void answer(int number, String topic, Permission permission) {
        AskedPublish asked = asked(number);
        asked.answer()
                .accept(
                        new PublishOutcome.Go(
                                changed(asked.publish(), topic, asked.payload(), 1), permission));
    }

    @Test
    void reviewer_is_told_who_an_anonymous_client_is() {
        node.context.reviews().reviewer(null);
        TestClient client = publisher(ProtocolVersion.MQTT_5, false);
        review();
        client.publish("t", 1, 1, "m");
        node.settle();
        assertThat(asked(0).client().clientId()).hasToString("p");
        assertThat(asked(0).client().identity().userName()).isNull();
        assertThat(asked(0).client().peer().listener()).isEqualTo(client.connection.listener());
    }

    @Test
    void retained_publish_that_is_reviewed_keeps_its_place() {
        node = new TestNode(2, new MemoryStore());
        review();
        TestClient reader = node.subscriber(0, "r", 1, "#");
        TestClient client = node.client(1, "p");
        client.publish("t", 1, 1, true, "m1".getBytes(StandardCharsets.UTF_8));
        client.publish("t", 1, 2, "m2");
        client.publish("t", 1, 3, true, "m3".getBytes(StandardCharsets.UTF_8));
        client.publish("t", 0, 0, "m4");
        node.settle();
        for (int i = 3; i >= 0; i--) {
            asked(i).go();
        }
        node.settle();
        assertThat(reader.payloads()).containsExactly("m1", "m2", "m3", "m4");
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
    }
}
