package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node serves a client that is connected to another one, which has authenticated it. */
class RemoteConnectionTest {
    private static final String METHOD = "SCRAM-SHA-256";
    private static final String ADDRESS = "192.0.2.7:50412";

    private static final ClientLimits ONE_PER_ADDRESS =
            new ClientLimits(2 << 20, 1_000, 64 << 10, 64L << 20, 0, 1);

    private final List<Peer> peers = new ArrayList<>();
    private final ScriptedPlacement placement = new ScriptedPlacement();
    private TestNode node = node(LimitSettings.DEFAULTS);

    private TestNode node(LimitSettings limits, EnhancedAuthenticator... methods) {
        return TestNode.of(placement.in(Cluster.NONE), 2, limits, new MemoryStore(), methods);
    }

    RemoteConnectionTest() {
        placement.atOnce = ScriptedPlacement.Asked::here;
    }

    private static Packet.Connect connect(
            ProtocolVersion version, boolean bridge, @Nullable Will will, Properties properties) {
        return new Packet.Connect(
                version,
                ClientId.of("c"),
                false,
                60,
                will,
                "user",
                null,
                bridge,
                version.isV5() ? properties : Properties.NONE);
    }

    private static AuthenticatedConnect of(Packet.Connect connect, long expirySeconds) {
        return new AuthenticatedConnect(
                connect,
                false,
                expirySeconds,
                null,
                new Peer(ADDRESS, false, "mqtts"),
                Identity.ANONYMOUS,
                0);
    }

    private TestClient accept(AuthenticatedConnect connect) {
        TestClient client = node.accept(0, connect);
        node.settle();
        return client;
    }

    private TestClient accept(ProtocolVersion version, Properties properties) {
        return accept(of(connect(version, false, null, properties), 3600));
    }

    private static Properties properties(Property property, long value) {
        return Properties.builder().add(property, value).build();
    }

    private static Packet.ConnAck connAck(TestClient client) {
        return (Packet.ConnAck) client.packets().getFirst();
    }

    @ParameterizedTest
    @EnumSource
    void client_of_any_version_is_served_as_if_it_were_connected_here(ProtocolVersion version) {
        TestClient client = accept(version, properties(Property.RECEIVE_MAXIMUM, 1));
        assertThat(connAck(client).code()).isZero();
        client.subscribe(1, 1, "t");
        node.settle();
        client.publish("t", 1, 2, "a");
        client.publish("t", 1, 3, "b");
        client.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(client.payloads()).isEqualTo(version.isV5() ? List.of("a") : List.of("a", "b"));
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(2, 3);
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(node.shards[0].load().connections()).isEqualTo(1);
        client.cut();
        node.settle();
        assertThat(node.shards[0].load().connections()).isZero();
        assertThat(node.heldBytes()).isZero();
        assertThat(placement.last().told).containsExactly("claimed", "ended");
        assertThat(connAck(accept(version, Properties.NONE)).sessionPresent())
                .isEqualTo(version != ProtocolVersion.MQTT_3_1);
    }

    @Test
    void bytes_that_come_while_the_place_is_asked_for_are_decoded_behind_the_connack() {
        placement.atOnce = asked -> {};
        TestClient client = accept(ProtocolVersion.MQTT_5, Properties.NONE);
        client.publish("t", 1, 1, "a");
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        node.tick(60_000);
        assertThat(client.packets()).isEmpty();
        assertThat(node.heldBytes()).isPositive();
        placement.last().here();
        node.settle();
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(client.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(client.isClosed()).isTrue();
        assertThat(node.heldBytes()).isZero();
    }

    @Test
    void same_connect_is_asked_for_at_this_node() {
        AuthenticatedConnect connect =
                of(connect(ProtocolVersion.MQTT_5, true, null, Properties.NONE), 3600);
        accept(connect);
        AuthenticatedConnect asked = placement.last().connect;
        assertThat(asked.connect()).isEqualTo(connect.connect());
        assertThat(asked.expirySeconds()).isEqualTo(3600);
        assertThat(asked.peer().remoteAddress()).isEqualTo(ADDRESS);
    }

    @Test
    void question_tells_when_the_client_was_authenticated_at_its_own_node() {
        AuthenticatedConnect before =
                of(connect(ProtocolVersion.MQTT_5, false, null, Properties.NONE), 3600)
                        .connectedAt(-77);
        accept(before);
        assertThat(placement.last().connect.connectedMs()).isEqualTo(-77);
    }

    @Test
    void node_without_a_placement_serves_it_too() {
        node = new TestNode(1, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        assertThat(connAck(accept(ProtocolVersion.MQTT_5, Properties.NONE)).code()).isZero();
    }

    @Test
    void wire_that_is_gone_publishes_the_will_and_keeps_the_durable_session() {
        TestClient watcher = node.subscriber(1, "watcher", 0, "w");
        Will will =
                new Will(
                        Topic.of("w"),
                        0,
                        false,
                        "will".getBytes(StandardCharsets.UTF_8),
                        0,
                        Properties.NONE);
        TestClient client =
                accept(of(connect(ProtocolVersion.MQTT_5, false, will, Properties.NONE), 3600));
        assertThat(connAck(client).code()).isZero();
        client.cut();
        node.settle();
        assertThat(watcher.payloads()).containsExactly("will");
        assertThat(node.session("c").isOnline()).isFalse();
        assertThat(node.session("c").life().expirySeconds()).isEqualTo(3600);
    }

    // ---------------------------------------------------------------- what CONNECT has said

    @Test
    void assigned_client_id_is_in_the_connack() {
        Packet.Connect connect = connect(ProtocolVersion.MQTT_5, false, null, Properties.NONE);
        TestClient client =
                accept(
                        new AuthenticatedConnect(
                                connect,
                                true,
                                0,
                                null,
                                new Peer(ADDRESS, false, "mqtts"),
                                Identity.ANONYMOUS,
                                0));
        assertThat(connAck(client).properties().text(Property.ASSIGNED_CLIENT_IDENTIFIER))
                .isEqualTo("c");
    }

    @Test
    void what_counts_is_in_the_connack_since_only_the_edge_knows_what_the_client_asked_for() {
        Properties told =
                connAck(
                                accept(
                                        ProtocolVersion.MQTT_5,
                                        properties(Property.SESSION_EXPIRY_INTERVAL, 3600)))
                        .properties();
        assertThat(told.number(Property.SERVER_KEEP_ALIVE, -1)).isEqualTo(60);
        assertThat(told.number(Property.SESSION_EXPIRY_INTERVAL, -1)).isEqualTo(3600);
    }

    @Test
    void expiry_that_the_edge_has_lowered_is_in_the_connack() {
        Properties asked = properties(Property.SESSION_EXPIRY_INTERVAL, 0xFFFF_FFFFL);
        TestClient client = accept(of(connect(ProtocolVersion.MQTT_5, false, null, asked), 600));
        assertThat(connAck(client).properties().number(Property.SESSION_EXPIRY_INTERVAL, 0))
                .isEqualTo(600);
    }

    @Test
    void bridge_gets_no_message_of_its_own_and_retain_as_published() {
        TestClient client =
                accept(of(connect(ProtocolVersion.MQTT_3_1_1, true, null, Properties.NONE), 3600));
        client.subscribe(1, 0, "t");
        node.settle();
        client.publish("t", 0, 0, "own");
        TestClient other = node.client(1, "other");
        other.publish("t", 0, 0, true, "kept".getBytes(StandardCharsets.UTF_8));
        node.settle();
        assertThat(client.payloads()).containsExactly("kept");
        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Publish.class, it -> assertThat(it.retain()).isTrue());
    }

    @Test
    void maximum_packet_size_of_the_client_binds_this_node() {
        TestClient client =
                accept(ProtocolVersion.MQTT_5, properties(Property.MAXIMUM_PACKET_SIZE, 100));
        client.subscribe(1, 1, "t");
        node.settle();
        client.publish("t", 1, 2, "x".repeat(200));
        client.publish("t", 1, 3, "short");
        node.settle();
        assertThat(client.payloads()).containsExactly("short");
        assertThat(node.count(Metric.DROPPED_TOO_LARGE)).isEqualTo(1);
    }

    @Test
    void maximum_packet_size_is_known_before_the_connack() {
        placement.atOnce =
                asked -> asked.asking.refused(ReasonCode.SERVER_UNAVAILABLE, "x".repeat(500));
        TestClient client =
                accept(ProtocolVersion.MQTT_5, properties(Property.MAXIMUM_PACKET_SIZE, 100));
        assertThat(connAck(client).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(connAck(client).properties().text(Property.REASON_STRING)).isNull();
    }

    @Test
    void packet_above_this_nodes_maximum_ends_the_connection() {
        TestClient client = accept(ProtocolVersion.MQTT_5, Properties.NONE);
        int max = MqttSettings.DEFAULTS.maximumPacketSize();
        client.publish("t", 0, 0, false, new byte[100_000]);
        node.settle();
        assertThat(client.isClosed()).isFalse();
        client.publish("t", 0, 0, false, new byte[max]);
        node.settle();
        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        it -> assertThat(it.reason()).isEqualTo(ReasonCode.PACKET_TOO_LARGE));
    }

    @Test
    void client_that_wants_no_problem_information_gets_none() {
        TestClient client =
                accept(ProtocolVersion.MQTT_5, properties(Property.REQUEST_PROBLEM_INFORMATION, 0));
        client.publish("nobody", 1, 1, "a");
        node.settle();
        Packet.Ack ack = (Packet.Ack) client.packets().getLast();
        assertThat(ack.reason()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(ack.properties().text(Property.REASON_STRING)).isNull();
    }

    @Test
    void second_connect_ends_the_connection() {
        TestClient client = accept(ProtocolVersion.MQTT_3_1_1, Properties.NONE);
        client.send(connect(ProtocolVersion.MQTT_3_1_1, false, null, Properties.NONE));
        node.settle();
        assertThat(client.isClosed()).isTrue();
    }

    // ---------------------------------------------------------------- limits

    @Test
    void limit_of_sessions_per_address_counts_the_clients_address() {
        node = node(Limits.with(l -> l.clients = ONE_PER_ADDRESS));
        assertThat(connAck(accept(ProtocolVersion.MQTT_5, Properties.NONE)).code()).isZero();
        Packet.Connect other =
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("d"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE);
        AuthenticatedConnect same =
                new AuthenticatedConnect(
                        other,
                        false,
                        0,
                        null,
                        new Peer("192.0.2.7:50413", false, "mqtts"),
                        Identity.ANONYMOUS,
                        0);
        assertThat(connAck(accept(same)).code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        AuthenticatedConnect elsewhere =
                new AuthenticatedConnect(
                        other,
                        false,
                        0,
                        null,
                        new Peer("192.0.2.8:1", false, "mqtts"),
                        Identity.ANONYMOUS,
                        0);
        assertThat(connAck(accept(elsewhere)).code()).isZero();
    }

    @Test
    void connections_that_wait_are_in_the_account_of_this_node_and_bounded_by_it() {
        node = node(Limits.with(l -> l.partialBytes = 100_000));
        placement.atOnce = asked -> {};
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            clients.add(accept(ProtocolVersion.MQTT_5, Properties.NONE));
        }
        assertThat(node.heldBytes()).isBetween(50_000L, 100_000L);
        assertThat(connAck(clients.getLast()).code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        clients.forEach(TestClient::cut);
        node.settle();
        assertThat(node.heldBytes()).isZero();
        assertThat(node.shards[0].load().connections()).isZero();
    }

    // ---------------------------------------------------------------- enhanced authentication

    private static Properties.Builder method() {
        return Properties.builder().add(Property.AUTHENTICATION_METHOD, METHOD);
    }

    private AuthenticatedConnect scram() {
        return new AuthenticatedConnect(
                connect(ProtocolVersion.MQTT_5, false, null, method().build()),
                false,
                3600,
                new byte[] {1, 2, 3},
                new Peer(ADDRESS, false, "mqtts"),
                Identity.ANONYMOUS,
                0);
    }

    @Test
    void data_of_the_authentication_at_the_edge_is_in_the_connack_and_it_goes_on_here() {
        node = node(LimitSettings.DEFAULTS, new TwoSteps());
        TestClient client = accept(scram());
        Properties answer = connAck(client).properties();
        assertThat(answer.text(Property.AUTHENTICATION_METHOD)).isEqualTo(METHOD);
        assertThat(answer.binary(Property.AUTHENTICATION_DATA)).containsExactly(1, 2, 3);

        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        assertThat(((Packet.Auth) client.packets().getLast()).reason())
                .isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
        client.send(
                new Packet.Auth(
                        ReasonCode.CONTINUE_AUTHENTICATION,
                        method().add(Property.AUTHENTICATION_DATA, new byte[] {4}).build()));
        node.settle();
        Packet.Auth last = (Packet.Auth) client.packets().getLast();
        assertThat(last.reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(last.properties().binary(Property.AUTHENTICATION_DATA)).containsExactly(9);
        assertThat(peers).containsExactly(new Peer(ADDRESS, false, "mqtts"));
        assertThat(client.isClosed()).isFalse();
    }

    @Test
    void node_without_the_method_ends_the_connection_when_its_client_asks_again() {
        TestClient client = accept(scram());
        assertThat(connAck(client).code()).isZero();
        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        it -> {
                            assertThat(it.reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
                            assertThat(it.properties().text(Property.REASON_STRING))
                                    .contains("Authentication Method");
                        });
    }

    @Test
    void client_without_a_method_may_not_authenticate_again() {
        TestClient client = accept(ProtocolVersion.MQTT_5, Properties.NONE);
        client.send(new Packet.Auth(ReasonCode.REAUTHENTICATE, method().build()));
        node.settle();
        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        it -> assertThat(it.reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR));
    }

    /** At the edge: packets of the exchange leave before the wire goes elsewhere. */
    @Test
    void authentication_at_the_edge_ends_before_the_question_which_has_its_data() {
        node = node(LimitSettings.DEFAULTS, new TwoSteps());
        FarPipe pipe = new FarPipe();
        placement.atOnce = asked -> asked.asking.elsewhere(pipe);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                connect(
                        ProtocolVersion.MQTT_5,
                        false,
                        null,
                        method().add(Property.AUTHENTICATION_DATA, new byte[] {7}).build()));
        node.settle();
        assertThat(client.count(PacketType.AUTH)).isEqualTo(1);
        assertThat(placement.asked).isEmpty();
        client.send(new Packet.Auth(ReasonCode.CONTINUE_AUTHENTICATION, method().build()));
        node.settle();
        AuthenticatedConnect asked = placement.last().connect;
        assertThat(asked.authenticationData()).containsExactly(9);
        assertThat(asked.connect().properties().has(Property.AUTHENTICATION_DATA)).isFalse();
        assertThat(asked.connect().properties().text(Property.AUTHENTICATION_METHOD))
                .isEqualTo(METHOD);
        assertThat(pipe.client).isNotNull();
        assertThat(node.heldBytes()).isZero();
    }

    /** Asks once more, then says yes. */
    private final class TwoSteps implements EnhancedAuthenticator {
        @Override
        public String method() {
            return METHOD;
        }

        @Override
        public Exchange begin(Packet.Connect connect, Peer peer) {
            peers.add(peer);
            return new Exchange() {
                private boolean isSecond;

                @Override
                public void step(byte @Nullable [] data, Consumer<Step> answer) {
                    answer.accept(
                            isSecond
                                    ? new Step.Success(new byte[] {9}, Identity.ANONYMOUS)
                                    : new Step.Continue(new byte[] {8}));
                    isSecond = true;
                }
            };
        }
    }
}
