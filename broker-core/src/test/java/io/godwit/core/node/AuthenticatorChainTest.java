package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Authenticators that are asked one after the other, and answer late, never, twice, or throw. */
class AuthenticatorChainTest {
    private static final long PATIENCE_MS = 5_000;
    private static final Verdict PASSED_ON = new Verdict.PassedOn();

    private final List<Named> chain = new ArrayList<>();
    private AccessControl rules = AccessControl.OPEN;

    private static final class Named implements Authenticator {
        private final String name;
        private final List<Consumer<Verdict>> asked = new ArrayList<>();
        private final Consumer<Consumer<Verdict>> answer;

        Named(String name, Consumer<Consumer<Verdict>> answer) {
            this.name = name;
            this.answer = answer;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            asked.add(verdict);
            answer.accept(verdict);
        }
    }

    /** Grants topics that begin with the user's name. */
    private static final class OwnTopics implements AccessControl {
        @Override
        public boolean mayConnect(Subject subject) {
            return !"banned".equals(subject.identity().userName());
        }

        @Override
        public Access of(Subject subject) {
            return new Access() {
                @Override
                public boolean mayPublish(Topic topic, int qos, boolean retain) {
                    return topic.toString().startsWith(subject.identity().userName() + "/")
                            && !retain;
                }

                @Override
                public boolean maySubscribe(TopicFilter filter, int qos) {
                    return filter.toString().startsWith(subject.identity().userName() + "/");
                }
            };
        }
    }

    private Named add(String name, Consumer<Consumer<Verdict>> answer) {
        Named added = new Named(name, answer);
        chain.add(added);
        return added;
    }

    private TestNode node() {
        return new TestNode(security(Map.of()));
    }

    private Security security(Map<String, EnhancedAuthenticator> methods) {
        return new Security(
                new Authenticators(List.copyOf(chain), Map.of(), methods),
                Map.of(),
                new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                rules,
                Security.SessionOwner.ANYONE,
                PATIENCE_MS);
    }

    private static TestClient connect(
            TestNode node, ProtocolVersion version, @Nullable String user, @Nullable Will will) {
        TestClient client = node.open(0, version);
        client.send(
                new Packet.Connect(
                        version,
                        ClientId.of("c"),
                        true,
                        60,
                        will,
                        user,
                        user == null ? null : "secret".getBytes(StandardCharsets.UTF_8),
                        false,
                        Properties.NONE));
        node.settle();
        return client;
    }

    private static int code(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .mapToInt(each -> ((Packet.ConnAck) each).code())
                .reduce((one, two) -> 1000) // It comes once.
                .orElse(-1);
    }

    private static Verdict user(String name) {
        return new Verdict.Granted(Identity.ofUser(name));
    }

    @Test
    void first_that_knows_the_client_decides() {
        Named first = add("first", verdict -> verdict.accept(PASSED_ON));
        Named second = add("second", verdict -> verdict.accept(user("ann")));
        Named third = add("third", verdict -> verdict.accept(user("other")));
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, "ann", null))).isZero();
        assertThat(first.asked).hasSize(1);
        assertThat(second.asked).hasSize(1);
        assertThat(third.asked).isEmpty();
    }

    @Test
    void refusal_is_not_passed_on() {
        add("first", v -> v.accept(new Verdict.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD)));
        Named second = add("second", verdict -> verdict.accept(user("ann")));
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, "ann", null)))
                .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD.code());
        assertThat(second.asked).isEmpty();
    }

    @Test
    void client_that_nobody_knows_is_anonymous_only_without_credentials() {
        add("users", verdict -> verdict.accept(PASSED_ON));
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, null, null))).isZero();
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, "bob", null)))
                .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD.code());
        assertThat(code(connect(node(), ProtocolVersion.MQTT_3_1_1, "bob", null))).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void no_answer_in_time_is_a_connack_and_what_comes_later_is_ignored(ProtocolVersion version) {
        Named silent = add("silent", verdict -> {});
        TestNode node = node();
        TestClient client = connect(node, version, "ann", null);
        node.tick(PATIENCE_MS - 1_000);
        assertThat(code(client)).isEqualTo(-1);
        node.tick(3_000);
        assertThat(code(client))
                .isEqualTo(version.isV5() ? ReasonCode.SERVER_UNAVAILABLE.code() : 3);
        assertThat(client.isClosed()).isTrue();
        silent.asked.getFirst().accept(user("ann"));
        node.settle();
        assertThat(client.packets()).hasSize(1);
    }

    @Test
    void exception_and_null_are_refusals_that_are_not_passed_on() {
        add(
                "throws",
                verdict -> {
                    throw new IllegalStateException("no database");
                });
        Named second = add("second", verdict -> verdict.accept(user("ann")));
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, "ann", null)))
                .isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(second.asked).isEmpty();
    }

    @Test
    void second_answer_is_ignored() {
        add(
                "twice",
                verdict -> {
                    verdict.accept(user("ann"));
                    verdict.accept(user("ann"));
                    verdict.accept(new Verdict.Refused(ReasonCode.BANNED));
                });
        TestClient client = connect(node(), ProtocolVersion.MQTT_5, "ann", null);
        assertThat(client.packets()).hasSize(1);
        assertThat(code(client)).isZero();
        assertThat(client.isClosed()).isFalse();
    }

    @Test
    void one_that_passes_on_twice_is_not_asked_for_the_next_one() {
        add(
                "twice",
                verdict -> {
                    verdict.accept(PASSED_ON);
                    verdict.accept(user("ann"));
                });
        add("slow", verdict -> {});
        TestClient client = connect(node(), ProtocolVersion.MQTT_5, "ann", null);
        assertThat(client.packets()).isEmpty();
    }

    @Test
    void answer_to_a_client_that_has_gone_is_ignored() {
        Named slow = add("slow", verdict -> {});
        TestNode node = node();
        TestClient client = connect(node, ProtocolVersion.MQTT_5, "ann", null);
        client.cut();
        node.settle();
        slow.asked.getFirst().accept(user("ann"));
        node.settle();
        assertThat(client.count(PacketType.CONNACK)).isZero();
    }

    @Test
    void method_of_an_authenticator_that_is_not_asked_is_not_there() {
        add("other", verdict -> verdict.accept(PASSED_ON));
        for (String of : new String[] {"", "other", "users"}) {
            EnhancedAuthenticator method =
                    new EnhancedAuthenticator() {
                        @Override
                        public String method() {
                            return "M";
                        }

                        @Override
                        public String authenticator() {
                            return of;
                        }

                        @Override
                        public Exchange begin(Packet.Connect connect, Peer peer) {
                            return (data, answer) ->
                                    answer.accept(new Step.Success(null, Identity.ANONYMOUS));
                        }
                    };
            TestNode node = new TestNode(security(Map.of("M", method)));
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
                            Properties.builder().add(Property.AUTHENTICATION_METHOD, "M").build()));
            node.settle();
            assertThat(code(client))
                    .as(of)
                    .isEqualTo(
                            of.equals("users") ? ReasonCode.BAD_AUTHENTICATION_METHOD.code() : 0);
        }
    }

    @Test
    void will_is_judged_by_what_its_client_turned_out_to_be() {
        rules = new OwnTopics();
        add("users", verdict -> verdict.accept(user("ann")));
        TestNode node = node();
        assertThat(code(connect(node, ProtocolVersion.MQTT_5, "ann", will("ann/gone", false))))
                .isZero();
        assertThat(code(connect(node, ProtocolVersion.MQTT_5, "ann", will("bob/gone", false))))
                .isEqualTo(ReasonCode.NOT_AUTHORIZED.code());
        assertThat(code(connect(node, ProtocolVersion.MQTT_5, "ann", will("ann/gone", true))))
                .isEqualTo(ReasonCode.NOT_AUTHORIZED.code());
    }

    @Test
    void rules_are_asked_about_connect_publish_and_subscribe() {
        rules = new OwnTopics();
        add("users", verdict -> verdict.accept(user("ann")));
        TestNode node = node();
        TestClient client = connect(node, ProtocolVersion.MQTT_5, "ann", null);
        client.subscribe(1, 1, "ann/#", "bob/#");
        client.publish("ann/x", 1, 2, "yes");
        client.publish("bob/x", 1, 3, "no");
        node.settle();
        Packet.SubAck subAck =
                (Packet.SubAck)
                        client.packets().stream()
                                .filter(Packet.SubAck.class::isInstance)
                                .findFirst()
                                .orElseThrow();
        assertThat(subAck.codes()).containsExactly(1, ReasonCode.NOT_AUTHORIZED.code());
        assertThat(client.packets().stream().filter(Packet.Ack.class::isInstance))
                .extracting(each -> ((Packet.Ack) each).reason().code())
                .containsExactly(0, ReasonCode.NOT_AUTHORIZED.code());
        assertThat(client.payloads()).containsExactly("yes");

        chain.clear();
        add("users", verdict -> verdict.accept(user("banned")));
        assertThat(code(connect(node(), ProtocolVersion.MQTT_5, "banned", null)))
                .isEqualTo(ReasonCode.NOT_AUTHORIZED.code());
    }

    private static Will will(String topic, boolean retain) {
        return new Will(Topic.of(topic), 1, retain, new byte[3], 0, Properties.NONE);
    }
}
