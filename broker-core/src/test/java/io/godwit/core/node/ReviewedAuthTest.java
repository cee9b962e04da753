package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** AUTHs that a reviewer sees, of clients that are let in when they have said "yes". */
class ReviewedAuthTest {
    private static final String METHOD = "says yes";

    private record Asked(
            Subject client, Packet packet, boolean isOut, Consumer<PacketOutcome> answer) {}

    private final List<Asked> asked = new ArrayList<>();
    private final TestNode node = new TestNode(new Asks());

    private static final class Asks implements EnhancedAuthenticator {
        @Override
        public String method() {
            return METHOD;
        }

        @Override
        public Exchange begin(Packet.Connect connect, Peer peer) {
            return (data, answer) ->
                    answer.accept(
                            "yes".equals(text(data))
                                    ? new Step.Success(null, Identity.ANONYMOUS)
                                    : new Step.Continue(new byte[] {'?'}));
        }
    }

    private static @Nullable String text(byte @Nullable [] data) {
        return data == null ? null : new String(data, StandardCharsets.UTF_8);
    }

    private static Packet.Auth auth(ReasonCode reason, String data) {
        return new Packet.Auth(
                reason,
                Properties.builder()
                        .add(Property.AUTHENTICATION_METHOD, METHOD)
                        .add(Property.AUTHENTICATION_DATA, data.getBytes(StandardCharsets.UTF_8))
                        .build());
    }

    @BeforeEach
    void review() {
        node.context
                .reviews()
                .packets(
                        new PacketReviewer() {
                            @Override
                            public boolean sees(Subject client, PacketType type, boolean isOut) {
                                return type == PacketType.AUTH;
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
                        });
    }

    private TestClient connecting() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder().add(Property.AUTHENTICATION_METHOD, METHOD).build()));
        node.settle();
        return client;
    }

    private TestClient connected() {
        TestClient client = connecting();
        goOn();
        client.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "yes"));
        node.settle();
        goOn();
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        return client;
    }

    private void answer(PacketOutcome outcome) {
        asked.getLast().answer().accept(outcome);
        node.settle();
    }

    private void goOn() {
        answer(new PacketOutcome.Go(asked.getLast().packet()));
    }

    @Test
    void data_is_what_the_reviewer_has_made() {
        TestClient client = connecting();
        assertThat(client.packets()).isEmpty();
        assertThat(asked.getLast().client().clientId()).hasToString("c");
        assertThat(asked.getLast().isOut()).isTrue();
        answer(new PacketOutcome.Go(auth(ReasonCode.CONTINUE_AUTHENTICATION, "really?")));
        assertThat(client.packets())
                .containsExactly(auth(ReasonCode.CONTINUE_AUTHENTICATION, "really?"));
        client.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "no"));
        node.settle();
        assertThat(asked.getLast().isOut()).isFalse();
        answer(new PacketOutcome.Go(auth(ReasonCode.CONTINUE_AUTHENTICATION, "yes")));
        assertThat(((Packet.ConnAck) client.packets().getLast()).code()).isZero();
    }

    @Test
    void client_about_whose_auth_there_is_no_answer_is_not_let_in() {
        TestClient out = connecting();
        answer(new PacketOutcome.Failed());
        assertThat(((Packet.ConnAck) out.packets().getLast()).code()).isEqualTo(0x83);
        assertThat(out.isClosed()).isTrue();
        TestClient in = connecting();
        goOn();
        in.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "yes"));
        node.settle();
        answer(new PacketOutcome.Failed());
        assertThat(((Packet.ConnAck) in.packets().getLast()).code()).isEqualTo(0x83);
        assertThat(in.isClosed()).isTrue();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void reauthentication_without_an_answer_ends_the_connection() {
        TestClient client = connected();
        client.send(auth(ReasonCode.REAUTHENTICATE, "yes"));
        node.settle();
        answer(new PacketOutcome.Failed());
        assertThat(((Packet.Disconnect) client.packets().getLast()).reason())
                .isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void auth_out_of_turn_is_refused_when_it_was_seen() {
        TestClient client = connected();
        client.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "yes"));
        node.settle();
        assertThat(client.isClosed()).isFalse();
        goOn();
        assertThat(((Packet.Disconnect) client.packets().getLast()).reason())
                .isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void answer_about_an_auth_of_a_client_that_has_gone_is_ignored() {
        TestClient client = connecting();
        goOn();
        client.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "yes"));
        node.settle();
        client.cut();
        node.settle();
        goOn();
        assertThat(client.count(PacketType.CONNACK)).isZero();
        assertThat(node.heldBytes()).isZero();
    }
}
