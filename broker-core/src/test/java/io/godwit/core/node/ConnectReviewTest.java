package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Peer;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ConnectOutcome;
import io.godwit.core.review.ConnectReviewer;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** CONNECTs that a reviewer sees before anybody is asked who has sent them. */
class ConnectReviewTest {
    private record Asked(Packet.Connect connect, Peer peer, Consumer<ConnectOutcome> answer) {}

    private final List<Asked> asked = new ArrayList<>();
    private final ConnectReviewer reviewer =
            (connect, peer, answer) -> asked.add(new Asked(connect, peer, answer));
    private final TestNode node = new TestNode(1, new MemoryStore());

    @BeforeEach
    void review() {
        node.context.reviews().connects(reviewer);
    }

    private TestClient connect(ProtocolVersion version, String clientId, @Nullable Will will) {
        TestClient client = node.open(0, version);
        client.connect(clientId, true, 0, 0, will);
        node.settle();
        return client;
    }

    private TestClient connect(ProtocolVersion version) {
        return connect(version, "c", null);
    }

    private void answer(@Nullable ConnectOutcome outcome) {
        asked.getLast().answer().accept(outcome);
        node.settle();
    }

    private static int code(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .mapToInt(each -> ((Packet.ConnAck) each).code())
                .reduce((one, two) -> 1_000)
                .orElse(-1);
    }

    private static Packet.Connect changed(
            Packet.Connect from, String clientId, int keepAlive, @Nullable Will will) {
        return new Packet.Connect(
                from.version(),
                ClientId.of(clientId),
                from.cleanStart(),
                keepAlive,
                will,
                from.userName(),
                from.password(),
                from.bridge(),
                from.properties());
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connect_waits_for_its_review(ProtocolVersion version) {
        TestClient client = connect(version);
        assertThat(client.packets()).isEmpty();
        assertThat(asked.getFirst().connect().clientId()).hasToString("c");
        answer(new ConnectOutcome.Go(asked.getFirst().connect()));
        answer(new ConnectOutcome.Failed());
        assertThat(code(client)).isZero();
        assertThat(client.isClosed()).isFalse();
        assertThat(node.heldBytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connect_that_is_refused_or_not_answered_is_refused(ProtocolVersion version) {
        TestClient banned = connect(version);
        answer(new ConnectOutcome.Refused(ReasonCode.BANNED));
        assertThat(code(banned)).isEqualTo(version.isV5() ? 0x8A : 5);
        TestClient failed = connect(version);
        answer(new ConnectOutcome.Failed());
        assertThat(code(failed)).isEqualTo(version.isV5() ? 0x88 : 3);
        assertThat(failed.isClosed()).isTrue();
        TestClient nothing = connect(version);
        answer(null);
        assertThat(code(nothing)).isEqualTo(version.isV5() ? 0x88 : 3);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void reviewer_that_throws_refuses() {
        node.context
                .reviews()
                .connects((connect, peer, answer) -> {
                    throw new IllegalStateException("test");
                });
        assertThat(code(connect(ProtocolVersion.MQTT_5))).isEqualTo(0x88);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void dropped_connect_is_closed_without_a_word(ProtocolVersion version) {
        TestClient client = connect(version);
        answer(new ConnectOutcome.Dropped());
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isTrue();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void no_answer_in_the_time_of_authenticators_refuses_and_a_late_one_is_ignored() {
        TestClient client = connect(ProtocolVersion.MQTT_5);
        node.tick(node.context.security().authenticateMs() + 1_000);
        assertThat(code(client)).isEqualTo(0x88);
        answer(new ConnectOutcome.Go(asked.getFirst().connect()));
        assertThat(client.packets()).hasSize(1);
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void answer_about_a_client_that_has_gone_is_ignored() {
        TestClient client = connect(ProtocolVersion.MQTT_5);
        client.cut();
        node.settle();
        answer(new ConnectOutcome.Go(asked.getFirst().connect()));
        assertThat(client.packets()).isEmpty();
        assertThat(node.heldBytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void what_it_changes_counts(ProtocolVersion version) {
        Will will = new Will(Topic.of("gone"), 1, false, new byte[] {'w'}, 0, Properties.NONE);
        TestClient client = connect(version);
        answer(new ConnectOutcome.Go(changed(asked.getFirst().connect(), "other", 0, will)));
        assertThat(code(client)).isZero();
        assertThat(node.session("other").clientId()).hasToString("other");
        node.context.reviews().connects(null);
        TestClient reader = node.client(0, "reader");
        reader.subscribe(1, 1, "gone");
        node.settle();
        client.cut();
        node.settle();
        assertThat(reader.payloads()).containsExactly("w");
    }

    @Test
    void client_id_that_the_broker_has_given_is_shown_and_its_change_is_told() {
        TestClient client = connect(ProtocolVersion.MQTT_5, "", null);
        assertThat(asked.getFirst().connect().clientId().toString()).startsWith("auto-");
        answer(new ConnectOutcome.Go(changed(asked.getFirst().connect(), "given", 0, null)));
        Packet.ConnAck connAck = (Packet.ConnAck) client.packets().getFirst();
        assertThat(connAck.properties().text(Property.ASSIGNED_CLIENT_IDENTIFIER))
                .isEqualTo("given");
    }

    @Test
    void keep_alive_and_expiry_that_count_are_told() {
        TestClient client = connect(ProtocolVersion.MQTT_5);
        answer(new ConnectOutcome.Go(changed(asked.getFirst().connect(), "c", 10, null)));
        Packet.ConnAck connAck = (Packet.ConnAck) client.packets().getFirst();
        assertThat(connAck.properties().number(Property.SERVER_KEEP_ALIVE, -1)).isEqualTo(10);
        assertThat(connAck.properties().number(Property.SESSION_EXPIRY_INTERVAL, -1)).isZero();
    }

    @Test
    void changed_connect_is_judged_as_if_the_client_had_sent_it() {
        TestClient wildcard = connect(ProtocolVersion.MQTT_5);
        Will will = new Will(Topic.of("a/#"), 1, false, new byte[0], 0, Properties.NONE);
        answer(new ConnectOutcome.Go(changed(asked.getLast().connect(), "c", 0, will)));
        assertThat(code(wildcard)).isEqualTo(ReasonCode.MALFORMED_PACKET.code());
        TestClient large = connect(ProtocolVersion.MQTT_5);
        int bytesMax = node.context.limits().packets().connectBytes();
        Will whole = new Will(Topic.of("a"), 1, false, new byte[65_535], 0, Properties.NONE);
        assertThat(bytesMax).isLessThan(65_000 + 65_535);
        answer(
                new ConnectOutcome.Go(
                        changed(asked.getLast().connect(), "x".repeat(65_000), 0, whole)));
        assertThat(code(large)).isEqualTo(ReasonCode.PACKET_TOO_LARGE.code());
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void nothing_behind_the_connect_goes_before_it() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect("c", true, 0, 0, null);
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.packets()).isEmpty();
        answer(new ConnectOutcome.Go(asked.getFirst().connect()));
        assertThat(client.packets()).hasSize(2).last().isEqualTo(Packet.PingResp.INSTANCE);
    }
}
