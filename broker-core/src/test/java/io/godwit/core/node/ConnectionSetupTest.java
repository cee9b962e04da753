package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.auth.rules.RuleMistake;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.review.ConnectionSetups;
import io.godwit.core.review.Permission;
import io.godwit.core.store.MemoryStore;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that are set up for what is reviewed of them. */
class ConnectionSetupTest {
    private final TestNode node = new TestNode(1, new MemoryStore());
    private final List<Setup> setups = new ArrayList<>();

    /** Stands for an extension's setup: records the request, and answers as the test says. */
    private static final class Setup implements ConnectionSetup {
        final ConnectionSetups.Connection connection;
        final Consumer<@Nullable ReasonCode> answer;
        @Nullable AccessControl rules;
        int ends;

        Setup(ConnectionSetups.Connection connection, Consumer<@Nullable ReasonCode> answer) {
            this.connection = connection;
            this.answer = answer;
        }

        @Override
        public @Nullable AccessControl access() {
            return rules;
        }

        @Override
        public void ended() {
            ends++;
        }
    }

    private final ConnectionSetups scripted =
            new ConnectionSetups() {
                @Override
                public ConnectionSetup connecting(
                        Subject client,
                        ProtocolVersion version,
                        Connection connection,
                        Consumer<@Nullable ReasonCode> answer) {
                    setups.add(new Setup(connection, answer));
                    return setups.getLast();
                }

                @Override
                public ConnectionSetup connected(
                        Subject client, ProtocolVersion version, Connection connection) {
                    setups.add(new Setup(connection, reason -> {}));
                    return setups.getLast();
                }
            };

    @BeforeEach
    void setUp() {
        node.context.reviews().setups(scripted);
    }

    /** Rules by which a client may publish and subscribe to this alone. */
    private static AccessControl only(String topic) {
        try {
            return AccessList.of(
                    AccessRules.of(
                            AccessRule.allow(Action.PUBLISH, Action.SUBSCRIBE)
                                    .topic(topic)
                                    .build()));
        } catch (RuleMistake mistake) {
            throw new AssertionError(mistake);
        }
    }

    private TestClient connecting(ProtocolVersion version, @Nullable Will will) {
        TestClient client = node.open(0, version);
        client.connect("c", true, 0, 0, will);
        node.settle();
        return client;
    }

    private void answer(@Nullable ReasonCode refusal) {
        setups.getLast().answer.accept(refusal);
        node.settle();
    }

    private static int code(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .mapToInt(each -> ((Packet.ConnAck) each).code())
                .findFirst()
                .orElse(-1);
    }

    private int published(TestClient client, String topic) {
        int before = client.count(PacketType.PUBACK);
        client.publish(topic, 1, before + 1, "m");
        node.settle();
        return client.packets().stream()
                .filter(each -> each.type() == PacketType.PUBACK)
                .map(Packet.Ack.class::cast)
                .reduce((one, two) -> two)
                .orElseThrow()
                .reason()
                .code();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connect_waits_until_it_is_set_up(ProtocolVersion version) {
        TestClient client = connecting(version, null);
        node.tick(60_000);
        assertThat(client.packets()).isEmpty();
        answer(null);
        answer(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(code(client)).isZero();
        assertThat(client.isClosed()).isFalse();
        assertThat(setups.getFirst().ends).isZero();
        client.cut();
        node.settle();
        assertThat(setups.getFirst().ends).isPositive();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void connect_that_is_not_set_up_is_refused(ProtocolVersion version) {
        TestClient client = connecting(version, null);
        answer(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(code(client)).isEqualTo(version.isV5() ? 0x88 : 3);
        assertThat(client.isClosed()).isTrue();
        assertThat(setups.getFirst().ends).isPositive();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void client_that_has_gone_meanwhile_is_forgotten() {
        TestClient client = connecting(ProtocolVersion.MQTT_5, null);
        client.cut();
        node.settle();
        assertThat(setups.getFirst().ends).isPositive();
        answer(null);
        assertThat(client.packets()).isEmpty();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void rules_of_the_setup_decide_about_the_will() {
        Will will = new Will(Topic.of("gone"), 1, false, new byte[3], 0, Properties.NONE);
        TestClient refused = connecting(ProtocolVersion.MQTT_5, will);
        setups.getLast().rules = only("other");
        answer(null);
        assertThat(code(refused)).isEqualTo(0x87);
        TestClient taken = connecting(ProtocolVersion.MQTT_5, will);
        setups.getLast().rules = only("gone");
        answer(null);
        assertThat(code(taken)).isZero();
    }

    @Test
    void will_is_reviewed_behind_the_setup() {
        ScriptedReviewer reviewer = new ScriptedReviewer();
        reviewer.seesWills = true;
        node.context.reviews().reviewer(reviewer);
        Will will = new Will(Topic.of("gone"), 1, false, new byte[3], 0, Properties.NONE);
        TestClient client = connecting(ProtocolVersion.MQTT_5, will);
        assertThat(reviewer.wills).isEmpty();
        setups.getLast().rules = only("gone");
        answer(null);
        assertThat(reviewer.wills.getFirst().client().setup()).isSameAs(setups.getLast());
        reviewer.wills.getFirst().go(Permission.BY_RULES_ALONE);
        node.settle();
        assertThat(code(client)).isZero();
    }

    @Test
    void changed_rules_hold_from_the_next_packet_on() {
        TestClient client = connecting(ProtocolVersion.MQTT_5, null);
        answer(null);
        Setup setup = setups.getLast();
        client.subscribe(1, 1, "a", "b");
        assertThat(published(client, "a")).isEqualTo(0);
        setup.connection.change(() -> setup.rules = only("b"));
        node.settle();
        assertThat(published(client, "a")).isEqualTo(0x87);
        assertThat(published(client, "b")).isEqualTo(0);
        assertThat(node.session("c").subscriptions().size()).isEqualTo(1);
        setup.connection.change(() -> setup.rules = null);
        node.settle();
        assertThat(published(client, "a")).isNotEqualTo(0x87);
    }

    @Test
    void connection_that_was_there_before_is_set_up_when_clients_are_looked_at() {
        node.context.reviews().setups(null);
        TestClient client = node.client(0, "c");
        node.context.reviews().setups(scripted);
        node.broker.reviewClients();
        node.broker.reviewClients();
        node.settle();
        assertThat(setups).hasSize(1);
        Setup setup = setups.getFirst();
        setup.connection.change(() -> setup.rules = only("b"));
        node.settle();
        assertThat(published(client, "a")).isEqualTo(0x87);
        client.cut();
        node.settle();
        assertThat(setup.ends).isPositive();
        setup.connection.change(() -> setup.rules = null);
        node.settle();
    }
}
