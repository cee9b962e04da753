package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Verdict;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.queue.QueueDrops;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.KeptStore;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bounds of queues and numbers of connections that an authenticator grants to one client. */
class GrantedLimitsTest {
    private static final int PAGE = 4;

    private ClientSettings settings = ClientSettings.NODE;
    private TestNode node = node(queues(1_000, QueuePolicy.DISCARD_NEWEST), new MemoryStore());
    private int published;

    /** Lets in every user with what the test grants at that moment. */
    private final class Grants implements Authenticator {
        @Override
        public String name() {
            return "grants";
        }

        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            String user = connect.userName();
            verdict.accept(
                    user == null
                            ? new Verdict.PassedOn()
                            : new Verdict.Granted(
                                    new Identity(user, List.of(), Map.of(), null, 0, settings)));
        }
    }

    private TestNode node(LimitSettings limits, QueueSettings queues, Store store) {
        return new TestNode(
                limits,
                queues,
                store,
                new Security(
                        new Authenticators(List.of(new Grants()), Map.of(), Map.of()),
                        Map.of(),
                        new AnonymousAccess(AnonymousAccess.Policy.EVERYONE, () -> {}),
                        AccessControl.OPEN,
                        Security.SessionOwner.USER,
                        Security.AUTHENTICATE_MS));
    }

    private TestNode node(QueueSettings queues, Store store) {
        return node(LimitSettings.DEFAULTS, queues, store);
    }

    private static QueueSettings queues(long messages, QueuePolicy policy) {
        return new QueueSettings(messages, 1 << 20, policy, 1_000, 1 << 20, PAGE);
    }

    private void grant(long messages, long bytes, @Nullable QueuePolicy policy) {
        settings = new ClientSettings(0, 0, 0, new QueueBounds(messages, bytes, policy), 0, 0);
    }

    private TestClient connect(String clientId, long expiry, int receiveMaximum) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Properties.Builder properties =
                Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, expiry);
        if (receiveMaximum > 0) {
            properties.add(Property.RECEIVE_MAXIMUM, receiveMaximum);
        }
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(clientId),
                        false,
                        60,
                        null,
                        "ann",
                        null,
                        false,
                        properties.build()));
        node.settle();
        return client;
    }

    private int code(TestClient client) {
        return ((Packet.ConnAck) client.packets().getFirst()).code();
    }

    /** Leaves a durable subscriber offline, with what is granted now. */
    private void offline() {
        TestClient subscriber = connect("s", 3_600, 0);
        subscriber.subscribe(1, 1, "t");
        node.settle();
        subscriber.cut();
        node.settle();
    }

    private List<ReasonCode> publish(int count) {
        TestClient publisher = node.client(0, "p");
        for (int i = 1; i <= count; i++) {
            publisher.publish("t", 1, i, "m" + ++published);
            node.settle();
        }
        return publisher.packets().stream()
                .filter(Packet.Ack.class::isInstance)
                .map(packet -> ((Packet.Ack) packet).reason())
                .toList();
    }

    private SessionInfo info() {
        return SessionInfo.of(node.session("s"), 10);
    }

    /** Returns what a connection gets that acknowledges everything. */
    private List<String> drain() {
        return acknowledgeAll(connect("s", 3_600, 0));
    }

    private List<String> acknowledgeAll(TestClient client) {
        int done = 0;
        while (true) {
            List<Packet.Publish> came =
                    client.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(Packet.Publish.class::cast)
                            .toList();
            if (done == came.size()) {
                return client.payloads();
            }
            for (; done < came.size(); done++) {
                client.ack(PacketType.PUBACK, came.get(done).packetId());
            }
            node.settle();
        }
    }

    private static List<String> messages(int from, int to) {
        List<String> all = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            all.add("m" + i);
        }
        return all;
    }

    // ---------------------------------------------------------------- queues

    @Test
    void queue_of_an_offline_client_holds_what_was_granted_and_others_what_the_node_has() {
        grant(3, 0, null);
        offline();
        settings = ClientSettings.NODE;
        TestClient other = connect("other", 3_600, 0);
        other.subscribe(1, 1, "t");
        other.cut();
        node.settle();
        assertThat(publish(5)).containsOnly(ReasonCode.SUCCESS).hasSize(5);
        assertThat(info().queued()).isEqualTo(3);
        assertThat(info().drops()).isEqualTo(new QueueDrops(2, 0, 0));
        assertThat(SessionInfo.of(node.session("other"), 10).queued()).isEqualTo(5);
        assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isEqualTo(2);
        grant(3, 0, null);
        assertThat(drain()).isEqualTo(messages(1, 3));
    }

    @Test
    void queue_may_hold_more_than_the_node_s_when_that_is_granted() {
        node = node(queues(2, QueuePolicy.DISCARD_NEWEST), new MemoryStore());
        grant(6, 0, null);
        offline();
        publish(8);
        assertThat(info().queued()).isEqualTo(6);
        assertThat(drain()).isEqualTo(messages(1, 6));
    }

    @Test
    void granted_queue_leaves_room_to_others_when_all_hold_nearly_as_much_as_they_may() {
        node =
                node(
                        new QueueSettings(
                                5, 1 << 10, QueuePolicy.DISCARD_NEWEST, 100, 1 << 20, PAGE),
                        new MemoryStore());
        grant(1_000, 1 << 20, null);
        offline();
        publish(60);
        assertThat(info().queued()).isEqualTo(60);
        node.tick(100);
        publish(5);
        assertThat(info().queued()).as("30 are free below 90").isEqualTo(60);
    }

    @Test
    void granted_bytes_bound_the_queue() {
        grant(0, 1_024, null);
        offline();
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 1, 1, "x".repeat(600));
        publisher.publish("t", 1, 2, "y".repeat(600));
        node.settle();
        assertThat(info().queued()).isEqualTo(1);
        assertThat(info().drops().queueFull()).isEqualTo(1);
    }

    @Test
    void granted_policy_rejects_where_the_node_discards() {
        grant(2, 0, QueuePolicy.REJECT);
        offline();
        assertThat(publish(3))
                .containsExactly(ReasonCode.SUCCESS, ReasonCode.SUCCESS, ReasonCode.QUOTA_EXCEEDED);
        settings = ClientSettings.NODE;
        connect("s", 3_600, 1).cut();
        node.settle();
        assertThat(publish(1)).as("the node's bounds count again").containsOnly(ReasonCode.SUCCESS);
    }

    @Test
    void granted_policy_discards_the_oldest_where_the_node_discards_the_newest() {
        grant(3, 0, QueuePolicy.DISCARD_OLDEST);
        offline();
        publish(5);
        assertThat(drain()).isEqualTo(messages(3, 5));
    }

    @Test
    void smaller_grant_discards_nothing_and_takes_nothing_in_until_less_waits() {
        node = node(queues(1_000, QueuePolicy.DISCARD_OLDEST), new MemoryStore());
        grant(10, 0, null);
        offline();
        publish(10);
        grant(5, 0, null);
        TestClient back = connect("s", 3_600, 2);
        publish(1);
        assertThat(info().queued()).as("two are in flight").isEqualTo(8);
        assertThat(info().drops().queueFull()).isEqualTo(1);
        for (int i = 1; i <= 3; i++) {
            back.ack(PacketType.PUBACK, i);
            node.settle();
        }
        assertThat(info().queued()).isEqualTo(5);
        publish(2);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().drops().queueFull()).isEqualTo(3);
        assertThat(acknowledgeAllFrom(back, 3))
                .containsExactly("m1", "m2", "m3", "m4", "m5", "m8", "m9", "m10", "m12", "m13");
    }

    private List<String> acknowledgeAllFrom(TestClient client, int acknowledged) {
        int done = acknowledged;
        while (done < client.count(PacketType.PUBLISH)) {
            client.ack(PacketType.PUBACK, 1 + done % 65_535);
            done++;
            node.settle();
        }
        return client.payloads();
    }

    @Test
    void after_a_restart_the_node_s_bounds_hold_until_the_client_is_back_and_nothing_is_lost() {
        KeptStore store = new KeptStore(1);
        QueueSettings small = queues(3, QueuePolicy.DISCARD_OLDEST);
        node = node(small, store);
        node.recover();
        grant(20, 0, null);
        offline();
        publish(12);
        assertThat(info().queued()).isEqualTo(12);

        node = node(small, store);
        node.recover();
        publish(2);
        assertThat(info().queued()).isEqualTo(12);
        assertThat(info().drops().queueFull()).isEqualTo(2);
        TestClient back = connect("s", 3_600, 1);
        publish(2);
        assertThat(info().drops().queueFull()).as("20 are granted again").isEqualTo(2);
        List<String> expected = new ArrayList<>(messages(1, 12));
        expected.addAll(messages(15, 16));
        assertThat(acknowledgeAll(back)).isEqualTo(expected);
    }

    @Test
    void client_that_is_back_after_a_restart_without_a_grant_gets_all_that_waited() {
        KeptStore store = new KeptStore(1);
        QueueSettings small = queues(3, QueuePolicy.DISCARD_OLDEST);
        node = node(small, store);
        node.recover();
        grant(20, 0, null);
        offline();
        publish(12);
        node = node(small, store);
        node.recover();
        settings = ClientSettings.NODE;
        assertThat(drain()).isEqualTo(messages(1, 12));
    }

    @Test
    void queue_of_a_transient_session_holds_what_was_granted() {
        node =
                node(
                        Limits.with(l -> l.queueMessages = 4),
                        QueueSettings.DEFAULTS,
                        new MemoryStore());
        grant(2, 0, QueuePolicy.REJECT);
        TestClient few = connect("few", 0, 1);
        few.subscribe(1, 1, "t");
        grant(8, 0, null);
        TestClient many = connect("many", 0, 1);
        many.subscribe(1, 1, "t");
        node.settle();
        assertThat(publish(12)).as("no policy is for them").containsOnly(ReasonCode.SUCCESS);
        assertThat(SessionInfo.of(node.session("few"), 10).queued()).isEqualTo(2);
        assertThat(SessionInfo.of(node.session("many"), 10).queued()).isEqualTo(8);
        assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isEqualTo(9 + 3);
    }

    // ---------------------------------------------------------------- connections

    private static LimitSettings connections(int perUser, int perAddress) {
        return Limits.with(l ->
                l.clients =
                        new ClientLimits(
                                2 << 20,
                                1_000,
                                64 << 10,
                                64L << 20,
                                0,
                                0,
                                perUser,
                                perAddress,
                                0,
                                0));
    }

    private void grantConnections(int ofUser, int ofAddress) {
        settings = new ClientSettings(0, 0, 0, QueueBounds.NODE, ofUser, ofAddress);
    }

    @Test
    void connections_of_a_user_are_bounded_by_what_is_granted_until_one_ends() {
        grantConnections(2, 0);
        TestClient first = connect("c1", 0, 0);
        assertThat(code(first)).isZero();
        assertThat(code(connect("c2", 0, 0))).isZero();
        assertThat(code(connect("c3", 0, 0))).isEqualTo(0x97);
        assertThat(node.count(Metric.REFUSED_CONNECTIONS_SHARE)).isEqualTo(1);
        first.cut();
        node.settle();
        assertThat(code(connect("c3", 0, 0))).isZero();
        grantConnections(3, 0);
        assertThat(code(connect("c4", 0, 0))).isZero();
    }

    @Test
    void granted_number_of_connections_counts_in_place_of_the_configured_one() {
        node = node(connections(1, 0), QueueSettings.DEFAULTS, new MemoryStore());
        assertThat(code(connect("c1", 0, 0))).isZero();
        assertThat(code(connect("c2", 0, 0))).isEqualTo(0x97);
        grantConnections(3, 0);
        TestClient second = connect("c2", 0, 0);
        assertThat(code(second)).isZero();
        assertThat(code(connect("c3", 0, 0))).isZero();
        assertThat(code(connect("c4", 0, 0))).isEqualTo(0x97);
        second.cut();
        node.settle();
        settings = ClientSettings.NODE;
        assertThat(code(connect("c4", 0, 0))).as("two are there, one is allowed").isEqualTo(0x97);
        grantConnections(3, 0);
        assertThat(code(connect("c4", 0, 0))).isZero();
    }

    @Test
    void connections_of_an_address_are_bounded_by_what_is_granted() {
        grantConnections(0, 1);
        assertThat(code(connect("c1", 0, 0))).isZero();
        assertThat(code(connect("c2", 0, 0))).isEqualTo(0x97);
        settings = ClientSettings.NODE;
        assertThat(code(connect("c3", 0, 0))).as("has no limit").isZero();
    }
}
