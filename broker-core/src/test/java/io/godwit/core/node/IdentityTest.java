package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Security.SessionOwner;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.Verdict;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.KeptStore;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what follows from an identity: whose sessions are, rules that change, the time it ends. */
class IdentityTest {
    private ClientSettings settings = ClientSettings.NODE;
    private long connectSeconds;
    private final Set<String> removed = new HashSet<>();
    private final Security security = security(new Filters(Set.of("a", "b")));
    private TestNode node = new TestNode(security);

    /** Lets in everyone as who he says he is. */
    private final class Believes implements Authenticator {
        @Override
        public String name() {
            return "believes";
        }

        @Override
        public boolean isRemoved(Identity identity) {
            return removed.contains(identity.userName());
        }

        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            verdict.accept(
                    new Verdict.Granted(
                            new Identity(
                                    connect.userName(),
                                    List.of(),
                                    Map.of(),
                                    null,
                                    connectSeconds,
                                    settings)));
        }
    }

    /** Grants some filters, and everything else. */
    private record Filters(Set<String> granted) implements AccessControl {
        @Override
        public boolean mayConnect(Subject subject) {
            return !"out".equals(subject.identity().userName()) || granted.contains("out");
        }

        @Override
        public Access of(Subject subject) {
            return new Access() {
                @Override
                public boolean mayPublish(Topic topic, int qos, boolean retain) {
                    return true;
                }

                @Override
                public boolean maySubscribe(TopicFilter filter, int qos) {
                    return granted.contains(filter.toString());
                }
            };
        }
    }

    private Security security(AccessControl rules) {
        return new Security(
                new Authenticators(List.of(new Believes()), Map.of(), Map.of()),
                Map.of(),
                new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                rules,
                SessionOwner.USER,
                Security.AUTHENTICATE_MS);
    }

    private TestClient connect(@Nullable String user, boolean cleanStart, long expiry) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        cleanStart,
                        60,
                        null,
                        user,
                        null,
                        false,
                        Properties.builder()
                                .add(Property.SESSION_EXPIRY_INTERVAL, expiry)
                                .build()));
        node.settle();
        return client;
    }

    private static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static ReasonCode disconnected(TestClient client) {
        return ((Packet.Disconnect) client.packets().getLast()).reason();
    }

    @Test
    void another_user_neither_continues_nor_ends_a_session_nor_disturbs_its_connection() {
        TestClient ann = connect("ann", true, 600);
        for (boolean cleanStart : new boolean[] {false, true}) {
            for (String user : new String[] {"bob", null}) {
                TestClient other = connect(user, cleanStart, 600);
                assertThat(connAck(other).code())
                        .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID.code());
            }
        }
        assertThat(ann.isClosed()).isFalse();
        ann.cut();
        node.settle();
        assertThat(connAck(connect("bob", true, 600)).code())
                .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID.code());
        assertThat(connAck(connect("ann", false, 0)).sessionPresent()).isTrue();
    }

    @Test
    void client_id_is_free_when_its_session_has_ended() {
        connect("ann", true, 0).cut();
        node.settle();
        assertThat(connAck(connect("bob", true, 0)).code()).isZero();
    }

    @Test
    void owner_is_known_after_a_restart() {
        KeptStore store = new KeptStore(1);
        node = new TestNode(store, security);
        node.recover();
        connect("ann", true, 600).cut();
        node.settle();
        node = new TestNode(store, security);
        node.recover();
        assertThat(connAck(connect("bob", false, 600)).code())
                .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID.code());
        assertThat(connAck(connect("ann", false, 600)).sessionPresent()).isTrue();
    }

    @Test
    void session_of_nobody_becomes_that_of_the_first_user() {
        connect(null, true, 600).cut();
        node.settle();
        TestClient ann = connect("ann", false, 600);
        assertThat(connAck(ann).sessionPresent()).isTrue();
        assertThat(connAck(connect("bob", false, 600)).code())
                .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID.code());
    }

    @Test
    void filters_that_rules_no_longer_allow_are_taken_away_and_others_stay() {
        TestClient client = connect("ann", true, 600);
        client.subscribe(1, 1, "a", "b");
        node.settle();
        security.accessControl(new Filters(Set.of("b")));
        node.broker().reviewClients();
        node.settle();
        client.publish("a", 1, 2, "no");
        client.publish("b", 1, 3, "yes");
        node.settle();
        assertThat(client.payloads()).containsExactly("yes");
        assertThat(node.count(Metric.FILTERS_REVOKED)).isEqualTo(1);
    }

    @Test
    void client_that_may_not_connect_any_more_is_disconnected() {
        security.accessControl(new Filters(Set.of("out")));
        TestClient client = connect("out", true, 600);
        security.accessControl(new Filters(Set.of()));
        node.broker().reviewClients();
        node.settle();
        assertThat(disconnected(client)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void client_whose_user_was_removed_is_disconnected_when_clients_are_looked_at() {
        TestClient ann = connect("ann", true, 600);
        removed.add("bob");
        node.broker().reviewClients();
        node.settle();
        assertThat(ann.isClosed()).isFalse();
        removed.add("ann");
        node.broker().reviewClients();
        node.settle();
        assertThat(disconnected(ann)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(ann.isClosed()).isTrue();
        assertThat(node.count(Metric.CLIENTS_NOT_AUTHORIZED)).isEqualTo(1);
    }

    @Test
    void client_whose_user_is_removed_before_the_connack_is_refused_and_leaves_no_session() {
        security.accessControl(
                new AccessControl() {
                    @Override
                    public boolean mayConnect(Subject subject) {
                        return true;
                    }

                    @Override
                    public Access of(Subject subject) {
                        removed.add("ann");
                        return Access.OPEN;
                    }
                });
        TestClient client = connect("ann", true, 600);
        assertThat(connAck(client).code()).isEqualTo(ReasonCode.NOT_AUTHORIZED.code());
        assertThat(client.packets()).hasSize(1);
        assertThat(connAck(connect("bob", false, 600)).sessionPresent()).isFalse();
    }

    @Test
    void filters_of_a_session_are_looked_at_before_it_is_sent_anything() {
        TestClient client = connect("ann", true, 600);
        client.subscribe(1, 1, "a", "b");
        node.settle();
        client.cut();
        node.settle();
        security.accessControl(new Filters(Set.of("b")));
        node.broker().reviewClients();
        TestClient again = connect("ann", false, 600);
        assertThat(connAck(again).sessionPresent()).isTrue();
        again.publish("a", 1, 2, "no");
        again.publish("b", 1, 3, "yes");
        node.settle();
        assertThat(again.payloads()).containsExactly("yes");
    }

    @Test
    void rules_that_change_before_the_connack_refuse_and_leave_no_session() {
        AccessControl nobody = new Filters(Set.of());
        security.accessControl(
                new AccessControl() {
                    @Override
                    public boolean mayConnect(Subject subject) {
                        security.accessControl(nobody);
                        return true;
                    }

                    @Override
                    public Access of(Subject subject) {
                        return Access.OPEN;
                    }
                });
        TestClient client = connect("out", true, 600);
        assertThat(connAck(client).code()).isEqualTo(ReasonCode.NOT_AUTHORIZED.code());
        assertThat(client.packets()).hasSize(1);
        security.accessControl(new Filters(Set.of("out")));
        assertThat(connAck(connect("ann", false, 600)).code()).as("its id is free").isZero();
    }

    @Test
    void connection_ends_with_its_time_whatever_its_keep_alive() {
        connectSeconds = 20;
        TestClient client = connect("ann", true, 600);
        node.tick(19_000);
        assertThat(client.isClosed()).isFalse();
        node.tick(2_000);
        assertThat(client.isClosed()).isTrue();
        assertThat(disconnected(client)).isEqualTo(ReasonCode.MAXIMUM_CONNECT_TIME);
    }

    @Test
    void granted_receive_maximum_is_said_and_holds() {
        settings = new ClientSettings(7, 0, 0);
        TestClient client = connect("ann", true, 0);
        assertThat(connAck(client).properties().number(Property.RECEIVE_MAXIMUM, 0)).isEqualTo(7);
    }

    @Test
    void client_that_publishes_too_fast_is_not_read_until_it_is_paid_back() {
        settings = new ClientSettings(0, 10, 0);
        TestClient client = connect("ann", true, 0);
        for (int i = 1; i <= 30; i++) {
            client.publish("t", 1, i, "m");
        }
        node.settle();
        assertThat(client.count(PacketType.PUBACK)).isEqualTo(30);
        assertThat(client.isRead()).isFalse();
        node.tick(1_000);
        assertThat(client.isRead()).isFalse();
        node.tick(1_100);
        assertThat(client.isRead()).isTrue();
        assertThat(node.count(Metric.READS_PAUSED_RATE)).isEqualTo(1);
    }

    @Test
    void bytes_per_second_hold_too() {
        settings = new ClientSettings(0, 0, 1_000);
        TestClient client = connect("ann", true, 0);
        client.publish("t", 1, 1, "x".repeat(900));
        node.settle();
        assertThat(client.isRead()).isTrue();
        client.publish("t", 1, 2, "x".repeat(900));
        node.settle();
        assertThat(client.isRead()).isFalse();
        node.tick(900);
        assertThat(client.isRead()).isTrue();
    }
}
