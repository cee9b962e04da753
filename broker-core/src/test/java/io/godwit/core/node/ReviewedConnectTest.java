package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.SubscribeOutcome.Decision;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Wills and SUBSCRIBEs that a reviewer sees, and what is told of clients. */
class ReviewedConnectTest {
    private final ScriptedReviewer reviewer = new ScriptedReviewer();
    private final TestNode node = new TestNode(1, new MemoryStore());

    @BeforeEach
    void review() {
        reviewer.seesWills = true;
        reviewer.seesSubscribes = true;
        node.context.reviews().reviewer(reviewer);
    }

    private TestClient withWill(ProtocolVersion version, String topic) {
        TestClient client = node.open(0, version);
        Will will = new Will(Topic.of(topic), 1, false, new byte[3], 0, Properties.NONE);
        client.connect("w", true, 0, 0, will);
        node.settle();
        return client;
    }

    private static int code(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .mapToInt(each -> ((Packet.ConnAck) each).code())
                .reduce((one, two) -> 1_000)
                .orElse(-1);
    }

    private static List<Integer> codes(TestClient client) {
        List<Integer> codes = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.SubAck subAck) {
                for (byte code : subAck.codes()) {
                    codes.add(code & 0xFF);
                }
            }
        }
        return codes;
    }

    // ---------------------------------------------------------------- wills

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connect_with_a_will_waits_for_its_review(ProtocolVersion version) {
        TestClient client = withWill(version, "gone");
        assertThat(client.packets()).isEmpty();
        assertThat(reviewer.wills.getFirst().client().clientId()).hasToString("w");
        reviewer.wills.getFirst().go(Permission.BY_RULES);
        reviewer.wills.getFirst().answer().accept(new PublishOutcome.Failed());
        node.settle();
        assertThat(code(client)).isZero();
        assertThat(client.isClosed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void will_that_is_refused_or_not_answered_refuses_the_connect(ProtocolVersion version) {
        TestClient refused = withWill(version, "gone");
        reviewer.wills
                .getLast()
                .answer()
                .accept(new PublishOutcome.Refused(ReasonCode.QUOTA_EXCEEDED));
        node.settle();
        assertThat(code(refused)).isEqualTo(version.isV5() ? 0x87 : 5);
        TestClient failed = withWill(version, "gone");
        reviewer.wills.getLast().answer().accept(new PublishOutcome.Failed());
        node.settle();
        assertThat(code(failed)).isEqualTo(version.isV5() ? 0x88 : 3);
        assertThat(failed.isClosed()).isTrue();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void permission_for_a_will_may_be_left_to_the_rules_or_not() {
        assertThat(codeOfWill("$SYS/x", Permission.GRANTED)).isZero();
        assertThat(codeOfWill("$SYS/x", Permission.BY_RULES)).isEqualTo(0x87);
        assertThat(codeOfWill("gone", Permission.BY_RULES_ALONE)).isEqualTo(0x87);
    }

    private int codeOfWill(String topic, Permission permission) {
        TestClient client = withWill(ProtocolVersion.MQTT_5, topic);
        reviewer.wills.getLast().go(permission);
        node.settle();
        return code(client);
    }

    @Test
    void answer_about_the_will_of_a_client_that_has_gone_is_ignored() {
        TestClient client = withWill(ProtocolVersion.MQTT_5, "gone");
        client.cut();
        node.settle();
        reviewer.wills.getFirst().go(Permission.GRANTED);
        node.settle();
        assertThat(client.packets()).isEmpty();
        assertThat(node.heldBytes()).isZero();
    }

    // ---------------------------------------------------------------- SUBSCRIBE

    private void answer(SubscribeOutcome outcome) {
        reviewer.subscribes.getLast().answer().accept(outcome);
        node.settle();
    }

    private static Decision may(Permission permission) {
        return new Decision.May(permission);
    }

    @Test
    void decisions_are_made_for_each_filter() {
        TestClient client = node.client(0, "c");
        client.subscribe(1, 1, "a", "b", "c", "d");
        node.settle();
        assertThat(codes(client)).isEmpty();
        answer(
                new SubscribeOutcome.Go(
                        reviewer.subscribes.getLast().subscribe(),
                        List.of(
                                may(Permission.GRANTED),
                                new Decision.MayNot(ReasonCode.QUOTA_EXCEEDED),
                                may(Permission.BY_RULES),
                                may(Permission.BY_RULES_ALONE))));
        assertThat(codes(client)).containsExactly(1, 0x97, 1, 0x87);
    }

    @Test
    void nothing_behind_a_subscribe_goes_before_it() {
        TestClient client = node.client(0, "c");
        client.subscribe(1, 1, "a");
        client.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("a")), Properties.NONE));
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.packets()).hasSize(1);
        answer(
                new SubscribeOutcome.Go(
                        reviewer.subscribes.getLast().subscribe(),
                        List.of(may(Permission.BY_RULES))));
        assertThat(client.count(PacketType.SUBACK)).isEqualTo(1);
        assertThat(client.count(PacketType.UNSUBACK)).isEqualTo(1);
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(node.session("c").subscriptions().size()).isZero();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void changed_subscribe_subscribes_to_what_was_made() {
        TestClient client = node.client(0, "c");
        client.subscribe(7, 1, "a");
        node.settle();
        answer(
                new SubscribeOutcome.Go(
                        new Packet.Subscribe(
                                9,
                                List.of(
                                        new Packet.Subscription(
                                                TopicFilter.of("b/#"), 2, false, false, 0)),
                                Properties.NONE),
                        List.of(may(Permission.BY_RULES))));
        assertThat(codes(client)).containsExactly(2);
        assertThat(node.session("c").subscriptions().get(TopicFilter.of("b/#"))).isNotNull();
        client.subscribe(8, 1, "a");
        node.settle();
        answer(
                new SubscribeOutcome.Go(
                        new Packet.Subscribe(
                                8,
                                List.of(
                                        new Packet.Subscription(
                                                TopicFilter.of("b#"), 2, false, false, 0)),
                                Properties.NONE),
                        List.of(may(Permission.BY_RULES))));
        assertThat(codes(client)).containsExactly(2, 0x83);
    }

    @Test
    void dropped_subscribe_is_granted_and_subscribes_to_nothing() {
        TestClient client = node.client(0, "c");
        client.subscribe(1, 2, "a", "b");
        node.settle();
        answer(new SubscribeOutcome.Dropped());
        assertThat(codes(client)).containsExactly(2, 2);
        assertThat(node.session("c").subscriptions().size()).isZero();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void subscribe_without_an_answer_is_refused_as_its_client_can_be_told(ProtocolVersion version) {
        TestClient client = node.open(0, version);
        client.connect("c", true, 0, 0);
        client.subscribe(1, 2, "a", "b");
        node.settle();
        answer(new SubscribeOutcome.Failed());
        if (version == ProtocolVersion.MQTT_3_1) {
            assertThat(client.isClosed()).isTrue();
            assertThat(codes(client)).isEmpty();
        } else {
            int code = version.isV5() ? 0x83 : 0x80;
            assertThat(codes(client)).containsExactly(code, code);
        }
    }

    @Test
    void publish_behind_a_subscribe_whose_socket_is_gone_is_not_lost() {
        TestClient reader = node.client(0, "r");
        reader.subscribe(1, 1, "#");
        node.settle();
        answer(
                new SubscribeOutcome.Go(
                        reviewer.subscribes.getLast().subscribe(),
                        List.of(may(Permission.BY_RULES))));
        TestClient client = node.client(0, "c");
        client.subscribe(1, 1, "a");
        client.publish("unseen", 0, 0, "m");
        node.settle();
        client.cut();
        node.settle();
        assertThat(reader.payloads()).isEmpty();
        answer(
                new SubscribeOutcome.Go(
                        reviewer.subscribes.getLast().subscribe(),
                        List.of(may(Permission.BY_RULES))));
        assertThat(reader.payloads()).containsExactly("m");
    }

    // ---------------------------------------------------------------- events

    private static final class Told implements ClientEvents {
        private final List<String> all = new ArrayList<>();

        @Override
        public void refused(ClientId clientId, Peer peer, ReasonCode reason, String text) {
            all.add("refused " + clientId + " " + reason);
        }

        @Override
        public void connected(Subject client, ProtocolVersion version, boolean sessionPresent) {
            all.add("connected " + client.clientId() + " " + sessionPresent);
        }

        @Override
        public void disconnected(
                Subject client, ProtocolVersion version, Cause cause, ReasonCode reason) {
            all.add("disconnected " + client.clientId() + " " + cause + " " + reason);
        }
    }

    @Test
    void what_happens_to_clients_is_told() {
        Told told = new Told();
        TestClient before = node.client(0, "before");
        node.context.reviews().events(told);
        before.cut();
        node.settle();
        TestClient a = node.client(0, "a", 100, 0);
        TestClient b = node.client(0, "a", 100, 0);
        b.send(new Packet.Disconnect(ReasonCode.DISCONNECT_WITH_WILL, Properties.NONE));
        node.settle();
        TestClient c = node.client(0, "c");
        c.cut();
        node.settle();
        TestClient d = node.client(0, "d");
        node.tick(100_000);
        TestClient e = withWill(ProtocolVersion.MQTT_5, "t");
        reviewer.wills.getLast().answer().accept(new PublishOutcome.Failed());
        node.settle();
        assertThat(a.isClosed() && d.isClosed() && e.isClosed()).isTrue();
        assertThat(told.all)
                .containsExactly(
                        "connected a false",
                        "disconnected a SERVER SESSION_TAKEN_OVER",
                        "connected a true",
                        "disconnected a CLIENT DISCONNECT_WITH_WILL",
                        "connected c false",
                        "disconnected c LOST SUCCESS",
                        "connected d false",
                        "disconnected d LOST KEEP_ALIVE_TIMEOUT",
                        "refused w SERVER_UNAVAILABLE");
    }

    // ---------------------------------------------------------------- UNSUBSCRIBE

    private TestClient unsubscribing(ProtocolVersion version) {
        reviewer.seesSubscribes = false;
        reviewer.seesUnsubscribes = true;
        TestClient client = node.open(0, version);
        client.connect("c", true, 0, 0);
        client.subscribe(1, 1, "a", "b");
        client.send(
                new Packet.Unsubscribe(
                        7, List.of(TopicFilter.of("a"), TopicFilter.of("no")), Properties.NONE));
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.count(PacketType.UNSUBACK)).isZero();
        assertThat(client.count(PacketType.PINGRESP)).isZero();
        return client;
    }

    private void answerUnsubscribe(@Nullable UnsubscribeOutcome outcome) {
        reviewer.unsubscribes.getLast().answer().accept(outcome);
        node.settle();
        reviewer.unsubscribes.getLast().answer().accept(new UnsubscribeOutcome.Dropped());
        node.settle();
        assertThat(node.heldBytes()).isZero();
    }

    private static List<Integer> unsubscribed(TestClient client) {
        List<Integer> codes = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.UnsubAck unsubAck) {
                for (byte code : unsubAck.codes()) {
                    codes.add(code & 0xFF);
                }
            }
        }
        return codes;
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void unsubscribe_waits_for_its_review(ProtocolVersion version) {
        TestClient client = unsubscribing(version);
        answerUnsubscribe(new UnsubscribeOutcome.Go(reviewer.unsubscribes.getLast().unsubscribe()));
        assertThat(client.count(PacketType.UNSUBACK)).isEqualTo(1);
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(node.session("c").subscriptions().size()).isEqualTo(1);
    }

    @Test
    void changed_unsubscribe_removes_what_was_made() {
        TestClient client = unsubscribing(ProtocolVersion.MQTT_5);
        answerUnsubscribe(
                new UnsubscribeOutcome.Go(
                        new Packet.Unsubscribe(
                                9,
                                List.of(TopicFilter.of("no"), TopicFilter.of("b")),
                                Properties.NONE)));
        assertThat(unsubscribed(client)).containsExactly(0x11, 0);
        assertThat(node.session("c").subscriptions().get(TopicFilter.of("a"))).isNotNull();
        assertThat(node.session("c").subscriptions().get(TopicFilter.of("b"))).isNull();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void dropped_unsubscribe_is_acknowledged_and_removes_nothing(ProtocolVersion version) {
        TestClient client = unsubscribing(version);
        answerUnsubscribe(new UnsubscribeOutcome.Dropped());
        assertThat(client.count(PacketType.UNSUBACK)).isEqualTo(1);
        assertThat(unsubscribed(client)).allMatch(code -> code == 0);
        assertThat(node.session("c").subscriptions().size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void unsubscribe_that_is_refused_or_not_answered_is_not_acknowledged(ProtocolVersion version) {
        TestClient refused = unsubscribing(version);
        answerUnsubscribe(new UnsubscribeOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
        assertThat(unsubscribed(refused))
                .isEqualTo(version.isV5() ? List.of(0x87, 0x87) : List.of());
        assertThat(refused.isClosed()).isEqualTo(!version.isV5());
        for (UnsubscribeOutcome outcome :
                java.util.Arrays.asList(
                        new UnsubscribeOutcome.Failed(),
                        null,
                        new UnsubscribeOutcome.Go(
                                new Packet.Unsubscribe(
                                        7, List.of(TopicFilter.of("a")), Properties.NONE)))) {
            TestClient failed = unsubscribing(version);
            answerUnsubscribe(outcome);
            assertThat(unsubscribed(failed))
                    .isEqualTo(version.isV5() ? List.of(0x83, 0x83) : List.of());
            assertThat(failed.isClosed()).isEqualTo(!version.isV5());
        }
    }
}
