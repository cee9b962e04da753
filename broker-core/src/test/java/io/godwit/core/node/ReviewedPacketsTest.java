package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.PacketOutcome;
import io.godwit.core.review.PacketReviewer;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Packets that a reviewer sees and can't stop. */
class ReviewedPacketsTest {
    private record Asked(
            Subject client, Packet packet, boolean isOut, Consumer<PacketOutcome> answer) {}

    private final List<Asked> asked = new ArrayList<>();
    private final Set<PacketType> out = EnumSet.noneOf(PacketType.class);
    private final Set<PacketType> in = EnumSet.noneOf(PacketType.class);
    private final TestNode node = new TestNode(1, new MemoryStore());

    private final PacketReviewer reviewer =
            new PacketReviewer() {
                @Override
                public boolean sees(Subject client, PacketType type, boolean isOut) {
                    return (isOut ? out : in).contains(type);
                }

                @Override
                public void review(
                        Subject client,
                        ProtocolVersion version,
                        Packet packet,
                        boolean isOut,
                        Consumer<PacketOutcome> answer) {
                    asked.add(new Asked(client, packet, isOut, answer));
                }
            };

    @BeforeEach
    void review() {
        node.context.reviews().packets(reviewer);
    }

    private void answer(@Nullable PacketOutcome outcome) {
        asked.getLast().answer().accept(outcome);
        node.settle();
    }

    private void go(Packet made) {
        answer(new PacketOutcome.Go(made));
    }

    private void goOn() {
        go(asked.getLast().packet());
    }

    private static Properties said(String reasonString) {
        return Properties.builder()
                .add(Property.REASON_STRING, reasonString)
                .user("k", "v")
                .build();
    }

    private static Packet.Ack pubAck(int packetId, String reasonString) {
        return new Packet.Ack(PacketType.PUBACK, packetId, ReasonCode.SUCCESS, said(reasonString));
    }

    private static List<PacketType> types(TestClient client) {
        return client.packets().stream().map(Packet::type).toList();
    }

    // ---------------------------------------------------------------- acknowledgements

    @Test
    void acknowledgement_goes_out_as_it_was_made() {
        TestClient client = node.client(0, "c");
        client.keepAckProperties();
        out.add(PacketType.PUBACK);
        client.publish("t", 1, 5, "m");
        node.settle();
        assertThat(client.count(PacketType.PUBACK)).isZero();
        assertThat(asked).hasSize(1);
        assertThat(asked.getFirst().client().clientId()).hasToString("c");
        assertThat(asked.getFirst().isOut()).isTrue();
        go(pubAck(5, "thanks"));
        answer(new PacketOutcome.Failed());
        assertThat(client.packets()).endsWith(pubAck(5, "thanks")).hasSize(2);
    }

    @Test
    void without_an_answer_it_goes_out_as_it_was() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.PUBACK);
        for (PacketOutcome outcome :
                new @Nullable PacketOutcome[] {new PacketOutcome.Failed(), null}) {
            client.publish("t", 1, 5, "m");
            node.settle();
            answer(outcome);
        }
        node.context.reviews().packets(new Throwing());
        client.publish("t", 1, 5, "m");
        node.settle();
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(5, 5, 5);
    }

    private static final class Throwing implements PacketReviewer {
        @Override
        public boolean sees(Subject client, PacketType type, boolean isOut) {
            return true;
        }

        @Override
        public void review(
                Subject client,
                ProtocolVersion version,
                Packet packet,
                boolean isOut,
                Consumer<PacketOutcome> answer) {
            throw new IllegalStateException("test");
        }
    }

    @Test
    void one_is_asked_about_at_a_time_and_nothing_but_publish_overtakes_it() {
        TestClient client = node.subscriber(0, "c", 0, "t");
        out.add(PacketType.PUBACK);
        client.publish("t", 1, 5, "m1");
        client.publish("t", 1, 6, "m2");
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(asked).hasSize(1);
        assertThat(client.payloads()).containsExactly("m1", "m2");
        assertThat(client.count(PacketType.PINGRESP)).isZero();
        goOn();
        assertThat(asked).hasSize(2);
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(5);
        assertThat(client.count(PacketType.PINGRESP)).isZero();
        goOn();
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(5, 6);
        assertThat(client.packets()).last().isEqualTo(Packet.PingResp.INSTANCE);
    }

    @Test
    void others_do_not_wait_when_nothing_is_under_review() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.PUBACK);
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(asked).isEmpty();
    }

    @Test
    void what_waits_goes_when_nobody_reviews_any_more() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.PUBACK);
        client.publish("t", 1, 5, "m");
        client.publish("t", 1, 6, "m");
        node.settle();
        node.context.reviews().packets(null);
        goOn();
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(5, 6);
        client.publish("t", 1, 7, "m");
        node.settle();
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(5, 6, 7);
    }

    @Test
    void changed_packet_that_is_larger_than_the_client_takes_goes_as_it_was() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        0,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder().add(Property.MAXIMUM_PACKET_SIZE, 60).build()));
        node.settle();
        out.add(PacketType.PUBACK);
        client.publish("t", 1, 5, "m");
        node.settle();
        Packet before = asked.getFirst().packet();
        client.keepAckProperties();
        go(pubAck(5, "x".repeat(60)));
        assertThat(client.packets()).last().isEqualTo(before);
    }

    @Test
    void client_that_does_not_take_its_answers_is_not_read() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.PINGRESP);
        for (int i = 0; i < 100_000 && client.isRead(); i++) {
            client.send(Packet.PingReq.INSTANCE);
        }
        node.settle();
        assertThat(client.isRead()).isFalse();
        for (int i = 0; i < 100_000 && !client.isRead(); i++) {
            goOn();
        }
        assertThat(client.isRead()).isTrue();
    }

    @Test
    void client_that_has_gone_gets_no_answer_and_what_it_has_sent_is_shown() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.PUBACK);
        in.add(PacketType.DISCONNECT);
        client.publish("t", 1, 5, "m");
        client.publish("t", 1, 6, "m");
        node.settle();
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        client.cut();
        node.settle();
        goOn();
        assertThat(asked).hasSize(2); // The DISCONNECT, and not the other PUBACK.
        assertThat(asked.getLast().isOut()).isFalse();
        goOn();
        assertThat(client.acks(PacketType.PUBACK)).isEmpty();
    }

    // ---------------------------------------------------------------- from the client

    @Test
    void what_a_client_sends_counts_without_an_answer_and_is_shown_in_order() {
        TestClient reader = node.subscriber(0, "r", 1, "t");
        in.addAll(Set.of(PacketType.PUBACK, PacketType.PINGREQ));
        TestClient client = node.client(0, "c");
        client.publish("t", 1, 5, "m");
        node.settle();
        Packet.Ack ack =
                new Packet.Ack(
                        PacketType.PUBACK,
                        reader.lastPacketId(),
                        ReasonCode.NO_MATCHING_SUBSCRIBERS,
                        said("why"));
        reader.send(ack);
        reader.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(node.session("r").inFlightCount()).isZero();
        assertThat(asked).hasSize(1);
        assertThat(asked.getFirst().packet()).isEqualTo(ack);
        assertThat(asked.getFirst().isOut()).isFalse();
        goOn();
        assertThat(asked.getLast().packet()).isEqualTo(Packet.PingReq.INSTANCE);
        goOn();
        assertThat(reader.count(PacketType.PINGRESP)).isEqualTo(1);
    }

    @Test
    void disconnect_counts_at_once_and_is_shown() {
        in.add(PacketType.DISCONNECT);
        TestClient client = node.client(0, "c");
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        node.settle();
        assertThat(client.isClosed()).isTrue();
        assertThat(asked).hasSize(1);
        goOn();
    }

    private static Packet.Disconnect leaving(long expirySeconds) {
        return new Packet.Disconnect(
                ReasonCode.SUCCESS,
                Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds).build());
    }

    private void leave(TestClient client) {
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        client.cut();
        node.settle();
    }

    private boolean isThere() {
        TestClient again = node.client(0, "c", 100, 0);
        Packet.ConnAck connAck = (Packet.ConnAck) again.packets().getFirst();
        again.cut();
        node.settle();
        return connAck.sessionPresent();
    }

    @Test
    void other_session_expiry_counts_from_the_answer_on() {
        in.add(PacketType.DISCONNECT);
        leave(node.client(0, "c", 100, 0));
        go(leaving(1_000));
        node.tick(500_000);
        assertThat(isThere()).isTrue();
        leave(node.client(0, "c", 100, 0));
        go(leaving(0));
        assertThat(isThere()).isFalse();
        leave(node.client(0, "c", 100, 0));
        go(leaving(10));
        node.tick(50_000);
        assertThat(isThere()).isFalse();
    }

    @Test
    void other_session_expiry_does_not_count_when_the_client_is_back_or_the_session_gone() {
        in.add(PacketType.DISCONNECT);
        leave(node.client(0, "c", 100, 0));
        TestClient again = node.client(0, "c", 100, 0);
        go(leaving(0));
        assertThat(node.session("c").life().expirySeconds()).isEqualTo(100);
        assertThat(again.isClosed()).isFalse();
        leave(node.client(0, "gone"));
        go(leaving(1_000));
        assertThat(node.client(0, "gone", 100, 0).packets())
                .first()
                .satisfies(each -> assertThat(((Packet.ConnAck) each).sessionPresent()).isFalse());
    }

    // ---------------------------------------------------------------- CONNACK

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connack_goes_out_before_everything_else(ProtocolVersion version) {
        TestClient first = node.client(0, "c", 100, 0);
        first.subscribe(1, 1, "t");
        node.settle();
        first.cut();
        node.settle();
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 5, "kept");
        node.settle();
        out.add(PacketType.CONNACK);
        TestClient client = node.open(0, version);
        client.connect("c", false, 100, 0);
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.packets()).isEmpty();
        Packet.ConnAck connAck = (Packet.ConnAck) asked.getFirst().packet();
        go(new Packet.ConnAck(connAck.sessionPresent(), 0, said("hello")));
        assertThat(types(client))
                .startsWith(PacketType.CONNACK)
                .contains(PacketType.PUBLISH, PacketType.PINGRESP);
        if (version.isV5()) {
            assertThat(((Packet.ConnAck) client.packets().getFirst()).properties())
                    .isEqualTo(said("hello"));
        }
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void client_that_goes_before_its_connack_leaves_nothing() {
        out.add(PacketType.CONNACK);
        TestClient client = node.client(0, "c");
        client.cut();
        node.settle();
        goOn();
        assertThat(client.packets()).isEmpty();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void refusing_connack_is_shown_and_the_socket_closes_behind_it() {
        out.add(PacketType.CONNACK);
        node.context
                .reviews()
                .connects((connect, peer, answer) -> {
                    throw new IllegalStateException("test");
                });
        TestClient client = node.client(0, "c");
        assertThat(client.isClosed()).isFalse();
        Packet.ConnAck before = (Packet.ConnAck) asked.getFirst().packet();
        assertThat(before.code()).isEqualTo(0x88);
        Packet.ConnAck made =
                new Packet.ConnAck(
                        false,
                        0x9C,
                        Properties.builder().add(Property.SERVER_REFERENCE, "other").build());
        go(made);
        assertThat(client.packets()).containsExactly(made);
        assertThat(client.isClosed()).isTrue();
    }

    // ---------------------------------------------------------------- DISCONNECT, AUTH

    @Test
    void disconnect_is_shown_and_the_socket_closes_behind_it() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.DISCONNECT);
        TestClient again = node.client(0, "c");
        assertThat(again.count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(client.isClosed()).isFalse();
        client.publish("t", 1, 5, "ignored");
        Packet.Disconnect made =
                new Packet.Disconnect(ReasonCode.SESSION_TAKEN_OVER, said("other"));
        go(made);
        assertThat(client.packets()).hasSize(2).last().isEqualTo(made);
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void disconnect_without_an_answer_goes_out_as_it_was() {
        TestClient client = node.client(0, "c");
        out.add(PacketType.DISCONNECT);
        node.client(0, "c");
        answer(null);
        assertThat(client.packets())
                .last()
                .isEqualTo(new Packet.Disconnect(ReasonCode.SESSION_TAKEN_OVER, Properties.NONE));
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void what_waits_behind_a_review_is_dropped_with_the_connection() {
        TestClient client = node.client(0, "c");
        out.addAll(Set.of(PacketType.PUBACK, PacketType.DISCONNECT));
        client.publish("t", 1, 5, "m");
        node.settle();
        client.publish("t", 1, 6, "m");
        node.settle();
        node.client(0, "c");
        assertThat(asked).hasSize(1);
        goOn();
        assertThat(asked).hasSize(2);
        goOn();
        assertThat(client.acks(PacketType.PUBACK)).isEmpty();
        assertThat(types(client)).containsExactly(PacketType.CONNACK, PacketType.DISCONNECT);
    }
}
