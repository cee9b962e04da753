package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.QueueBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an authenticator is told of a CONNECT, at once and when the client asks again later. */
class ReauthenticationTest {
    private static final String METHOD = "says yes";

    private final List<Packet.Connect> told = new ArrayList<>();
    private EnhancedAuthenticator.Step later =
            new EnhancedAuthenticator.Step.Success(null, Identity.ANONYMOUS);
    private final TestNode node = new TestNode(new SaysYes());

    @Test
    void theConnectionKeepsWhoItIsFromAndNothingLarge() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Packet.Connect connect =
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        60,
                        new Will(Topic.of("w"), 0, false, new byte[50_000], 0, Properties.NONE),
                        "user",
                        new byte[1_000],
                        false,
                        method().add(Property.AUTHENTICATION_DATA, new byte[1_000]).build());
        client.send(connect);
        node.settle();
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        assertThat(client.count(PacketType.AUTH)).isEqualTo(1);

        assertThat(told).hasSize(2);
        assertThat(told.getFirst().accountedBytes()).isGreaterThan(52_000);
        Packet.Connect later = told.getLast();
        assertThat(later.clientId()).isEqualTo(connect.clientId());
        assertThat(later.userName()).isEqualTo("user");
        assertThat(later.will()).isNull();
        assertThat(later.password()).isNull();
        assertThat(later.accountedBytes()).isLessThan(200);
    }

    /** DISCONNECT has not all reasons of CONNACK; the test's client refuses any other. */
    @ParameterizedTest
    @CsvSource({
        "BAD_USER_NAME_OR_PASSWORD, NOT_AUTHORIZED",
        "BANNED, NOT_AUTHORIZED",
        "BAD_AUTHENTICATION_METHOD, NOT_AUTHORIZED",
        "SERVER_UNAVAILABLE, SERVER_BUSY",
        "SERVER_BUSY, SERVER_BUSY",
        "NOT_AUTHORIZED, NOT_AUTHORIZED"
    })
    void client_that_fails_to_authenticate_again_gets_a_reason_that_disconnect_may_have(
            ReasonCode failure, ReasonCode told) {
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
                        method().build()));
        node.settle();
        later = new EnhancedAuthenticator.Step.Failure(failure);
        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        Packet.Disconnect last = (Packet.Disconnect) client.packets().getLast();
        assertThat(last.reason()).isEqualTo(told);
    }

    @Test
    void queue_has_the_bounds_that_the_last_authentication_granted() {
        later = granting(5);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        60,
                        null,
                        "ann",
                        null,
                        false,
                        method().add(Property.SESSION_EXPIRY_INTERVAL, 600).build()));
        node.settle();
        client.subscribe(1, 1, "t");
        node.settle();
        later = granting(2);
        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        client.cut();
        TestClient publisher = node.client(0, "p");
        for (int i = 1; i <= 4; i++) {
            publisher.publish("t", 1, i, "m");
        }
        node.settle();
        assertThat(node.session("c").queue().messages()).isEqualTo(2);
    }

    private static EnhancedAuthenticator.Step granting(long queueMessages) {
        QueueBounds queue = new QueueBounds(queueMessages, 0, null);
        ClientSettings settings = new ClientSettings(0, 0, 0, queue, 0, 0);
        return new EnhancedAuthenticator.Step.Success(
                null, new Identity("ann", List.of(), Map.of(), null, 0, settings));
    }

    private static Properties.Builder method() {
        return Properties.builder().add(Property.AUTHENTICATION_METHOD, METHOD);
    }

    private final class SaysYes implements EnhancedAuthenticator {
        @Override
        public String method() {
            return METHOD;
        }

        @Override
        public Exchange begin(Packet.Connect connect, Peer peer) {
            told.add(connect);
            return new Exchange() {
                @Override
                public void step(byte @Nullable [] data, Consumer<Step> answer) {
                    answer.accept(later);
                }
            };
        }
    }
}
