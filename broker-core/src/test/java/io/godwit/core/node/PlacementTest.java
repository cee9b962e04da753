package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.ScriptedPlacement.Asked;
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
import io.godwit.core.routing.NodeRef;
import io.godwit.core.session.WillKeeper;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.KeptStore;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.takeover.Registrar;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection of a cluster asks which node serves it before it claims its client id. */
class PlacementTest {
    private static final long CONNECT_TIMEOUT_MS = LimitSettings.DEFAULTS.connectTimeoutMs();

    private final ScriptedPlacement placement = new ScriptedPlacement();
    private TestNode node = node(LimitSettings.DEFAULTS);

    private TestNode node(LimitSettings limits) {
        return TestNode.of(placement.in(Cluster.NONE), 2, limits, new MemoryStore());
    }

    private TestClient connect(String clientId) {
        return connect(clientId, ProtocolVersion.MQTT_5, 0);
    }

    private TestClient connect(String clientId, ProtocolVersion version, long expirySeconds) {
        TestClient client = node.open(0, version);
        client.connect(clientId, expirySeconds == 0, expirySeconds, 0);
        node.settle();
        return client;
    }

    private void here(Asked asked) {
        asked.here();
        node.settle();
    }

    private long held() {
        return node.heldBytes();
    }

    private long connections() {
        return node.shards[0].load().connections() + node.shards[1].load().connections();
    }

    // ---------------------------------------------------------------- here

    @Test
    void connection_that_is_placed_here_at_once_is_connected_and_tells_how_it_goes_on() {
        placement.atOnce = Asked::here;
        TestClient client = connect("c");
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(placement.last().told).containsExactly("claimed");
        client.cut();
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed", "ended");
        assertThat(placement.asked).hasSize(1);
    }

    @Test
    void question_tells_when_the_client_was_authenticated() {
        node.tick(1_000);
        connect("c");
        assertThat(placement.last().connect.connectedMs()).isEqualTo(node.shards[0].nowMs());
    }

    @ParameterizedTest
    @EnumSource
    void connection_waits_for_its_place_beyond_the_connect_timeout(ProtocolVersion version) {
        TestClient client = connect("c", version, 0);
        node.tick(3 * CONNECT_TIMEOUT_MS);
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isFalse();
        here(placement.last());
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(node.count(Metric.CONNECT_TIMEOUTS)).isZero();
        assertThat(held()).isZero();
    }

    @Test
    void durable_connection_ends_its_stay_when_it_ends_though_its_session_stays() {
        placement.atOnce = Asked::here;
        TestClient client = connect("c", ProtocolVersion.MQTT_5, 3600);
        assertThat(placement.last().connect.isDurable()).isTrue();
        client.cut();
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed", "ended");
        assertThat(node.session("c").isEnded()).isFalse();
    }

    private TestClient connectWithWill(String clientId) {
        return connectWithWill(clientId, 1);
    }

    private TestClient connectWithWill(String clientId, int qos) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        Will will = new Will(Topic.of("gone"), qos, false, new byte[0], 0, Properties.NONE);
        client.connect(clientId, true, 0, 0, will);
        node.settle();
        return client;
    }

    private TestClient subscriber() {
        TestClient subscriber = connect("s");
        subscriber.subscribe(1, 1, "gone");
        node.settle();
        return subscriber;
    }

    @Test
    void will_that_is_passed_on_is_not_published_here() {
        List<WillKeeper.Passed> passed = new ArrayList<>();
        placement.passed = passed;
        placement.atOnce = Asked::here;
        TestClient subscriber = subscriber();
        connectWithWill("c").cut();
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed", "pass gone", "ended");
        assertThat(passed).hasSize(1);
        passed.getFirst().settled();
        node.settle();
        assertThat(subscriber.count(PacketType.PUBLISH)).isZero();
    }

    private void crash(KeptStore store) {
        node =
                TestNode.of(
                        placement.in(Cluster.NONE),
                        1,
                        2,
                        store,
                        new SettableTime(),
                        Rules.ALL,
                        LimitSettings.DEFAULTS,
                        OverloadSettings.DEFAULTS);
        node.recover();
        node.settle();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void will_is_passed_on_by_each_start_until_it_is_settled(boolean isDue) {
        List<WillKeeper.Passed> passed = new ArrayList<>();
        placement.passed = passed;
        placement.atOnce = Asked::here;
        KeptStore store = new KeptStore();
        crash(store);
        TestClient client = connectWithWill("c");
        if (isDue) {
            client.cut();
            node.settle();
            assertThat(passed).hasSize(1);
        }
        for (int i = 0; i < 2; i++) {
            passed.clear();
            crash(store);
            assertThat(passed).hasSize(1);
        }
        int shard = Registrar.shardOf(ClientId.of("c"), node.shards.length);
        node.shards[shard].execute(() -> passed.getFirst().settled());
        node.settle();
        passed.clear();
        crash(store);
        assertThat(passed).isEmpty();
        assertThat(store.state().sessions()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void will_that_is_this_nodes_own_is_published_once_though_the_node_crashes_meanwhile(int qos) {
        placement.atOnce = Asked::here;
        KeptStore store = new KeptStore();
        crash(store);
        TestClient witness = node.open(1, ProtocolVersion.MQTT_5);
        witness.connect("w", false, 3600, 0);
        node.settle();
        witness.subscribe(1, qos, "gone");
        node.settle();
        long queue = Objects.requireNonNull(store.state().session(ClientId.of("w"))).queueId();
        List<WillKeeper.Passed> passed = new ArrayList<>();
        placement.passed = passed;
        connectWithWill("c", qos);

        crash(store);
        store.hold();
        publish(passed.getFirst());
        while (store.state().rows(queue).isEmpty()) {
            assertThat(store.outstanding()).isPositive();
            store.end(1);
        }
        passed.clear();
        crash(store);
        passed.forEach(this::publish);
        assertThat(store.state().rows(queue)).hasSize(1);
        assertThat(store.state().session(ClientId.of("c"))).isNull();
    }

    private void publish(WillKeeper.Passed passed) {
        int shard = Registrar.shardOf(ClientId.of("c"), node.shards.length);
        node.shards[shard].execute(passed::publish);
        node.settle();
    }

    @Test
    void will_is_not_passed_on_after_a_disconnect() {
        placement.passed = new ArrayList<>();
        placement.atOnce = Asked::here;
        TestClient client = connectWithWill("c");
        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed", "ended");
    }

    @Test
    void will_of_a_connection_at_another_node_is_published_here() {
        placement.atOnce = Asked::here;
        TestClient subscriber = subscriber();
        Will will = new Will(Topic.of("gone"), 2, true, new byte[] {7}, 0, Properties.NONE);
        List<String> kept = new ArrayList<>();
        node.shards[1].publishWillOf(ClientId.of("c"), will, () -> kept.add("kept"));
        node.settle();
        assertThat(kept).containsExactly("kept");
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(1);
        assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
    }

    @Test
    void newer_connection_of_a_client_id_takes_the_place_of_the_older_one() {
        TestClient first = connect("c");
        TestClient second = connect("c");
        assertThat(placement.asked).hasSize(2);
        here(placement.asked.get(0));
        here(placement.asked.get(1));
        assertThat(first.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        it -> assertThat(it.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        assertThat(placement.asked.get(0).told).containsExactly("claimed", "ended");
        assertThat(second.count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(placement.asked.get(1).told).containsExactly("claimed");
        assertThat(second.isClosed()).isFalse();
    }

    @Test
    void two_connections_of_a_client_id_that_are_placed_at_one_moment_claim_in_order() {
        TestClient first = connect("c");
        TestClient second = connect("c");
        placement.asked.get(0).here();
        placement.asked.get(1).here();
        node.settle();
        assertThat(first.isClosed()).isTrue();
        assertThat(placement.asked.get(0).told).containsExactly("claimed", "ended");
        assertThat(second.isClosed()).isFalse();
        assertThat(placement.asked.get(1).told).containsExactly("claimed");
    }

    @Test
    void claim_is_withdrawn_once_when_its_connection_ends_behind_another_claim() {
        TestClient first = connect("c");
        TestClient second = connect("c");
        placement.asked.get(0).here();
        placement.asked.get(1).here();
        second.cut();
        assertThat(placement.asked.get(1).told).isEmpty();
        node.settle();
        assertThat(placement.asked.get(1).told).containsExactly("claimed", "ended");
        assertThat(placement.asked.get(0).told).containsExactly("claimed");
        assertThat(first.isClosed()).isFalse();
        assertThat(connections()).isEqualTo(1);
    }

    @Test
    void thousand_connections_that_end_before_their_claims_begin_end_their_stays() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            clients.add(connect("c" + i));
        }
        placement.asked.forEach(Asked::here);
        clients.forEach(TestClient::cut);
        node.settle();
        assertThat(placement.asked)
                .allSatisfy(asked -> assertThat(asked.told).containsExactly("claimed", "ended"));
        assertThat(connections()).isZero();
        assertThat(held()).isZero();
        assertThat(node.shards[0].load().sessions()).isZero();
    }

    @Test
    void client_without_client_id_gets_one_of_a_slot_that_this_node_leads() {
        placement.leads = slot -> slot % 3 == 0;
        placement.atOnce = Asked::here;
        for (int i = 0; i < 30; i++) {
            TestClient client = connect("");
            AuthenticatedConnect asked = placement.last().connect;
            assertThat(asked.assignedId()).isTrue();
            assertThat(asked.clientId().slot() % 3).isZero();
            Packet.ConnAck connAck = (Packet.ConnAck) client.packets().getFirst();
            assertThat(connAck.properties().text(Property.ASSIGNED_CLIENT_IDENTIFIER))
                    .isEqualTo(asked.clientId().toString());
        }
    }

    @Test
    void client_without_client_id_gets_one_where_this_node_leads_nothing() {
        placement.leads = slot -> false;
        placement.atOnce = Asked::here;
        assertThat(connect("").count(PacketType.CONNACK)).isEqualTo(1);
    }

    @Test
    void what_is_asked_has_user_name_and_will_and_nothing_secret() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_3_1_1);
        Will will = new Will(Topic.of("w"), 1, false, new byte[] {1}, 0, Properties.NONE);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_3_1_1,
                        ClientId.of("c"),
                        true,
                        60,
                        will,
                        "user",
                        new byte[] {1, 2, 3},
                        true,
                        Properties.NONE));
        node.settle();
        AuthenticatedConnect asked = placement.last().connect;
        assertThat(asked.connect().userName()).isEqualTo("user");
        assertThat(asked.connect().password()).isNull();
        assertThat(asked.connect().bridge()).isTrue();
        assertThat(Objects.requireNonNull(asked.connect().will()).topic()).isEqualTo(will.topic());
        assertThat(asked.peer().remoteAddress()).isEqualTo("127.0.0.1:1");
        assertThat(asked.peer().listener()).isEqualTo("test");
        assertThat(asked.peer().loopback()).isTrue();
        assertThat(asked.assignedId()).isFalse();
    }

    // ---------------------------------------------------------------- refused, or gone

    @Test
    void connection_that_gets_no_place_is_refused_with_the_reason() {
        TestClient five = connect("c");
        placement.last().asking.refused(ReasonCode.SERVER_UNAVAILABLE, "no leader");
        TestClient three = connect("d", ProtocolVersion.MQTT_3_1_1, 0);
        placement.last().asking.refused(ReasonCode.SERVER_UNAVAILABLE, "no leader");
        node.settle();
        Packet.ConnAck answer = (Packet.ConnAck) five.packets().getFirst();
        assertThat(answer.code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(answer.properties().text(Property.REASON_STRING)).isEqualTo("no leader");
        assertThat(((Packet.ConnAck) three.packets().getFirst()).code()).isEqualTo(3);
        assertThat(placement.asked).allSatisfy(asked -> assertThat(asked.told).isEmpty());
        assertThat(five.isClosed() && three.isClosed()).isTrue();
        assertThat(node.count(Metric.CONNECTS_REFUSED)).isEqualTo(2);
        assertThat(held()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void connection_whose_node_does_not_answer_is_closed_without_connack(ProtocolVersion version) {
        TestClient client = connect("c", version, 0);
        client.publish("t", 0, 0, "behind the CONNECT");
        assertThat(held()).isPositive();
        placement.last().asking.endUnanswered("no answer");
        node.settle();
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isTrue();
        assertThat(placement.last().told).isEmpty();
        assertThat(node.count(Metric.CLIENTS_UNAVAILABLE)).isEqualTo(1);
        assertThat(node.count(Metric.CONNECTS_REFUSED)).isZero();
        assertThat(held()).isZero();
        client.cut();
        node.settle();
        assertThat(connections()).isZero();
        assertThat(placement.last().told).isEmpty();
    }

    @Test
    void connection_that_is_refused_at_once_is_not_withdrawn() {
        placement.atOnce = asked -> asked.asking.refused(ReasonCode.SERVER_BUSY, "");
        TestClient client = connect("c");
        assertThat(client.isClosed()).isTrue();
        assertThat(placement.last().told).isEmpty();
    }

    @Test
    void socket_that_ends_withdraws_the_question_and_no_later_answer_counts() {
        TestClient client = connect("c");
        client.publish("t", 0, 0, "behind the CONNECT");
        assertThat(held()).isPositive();
        client.cut();
        Asked asked = placement.last();
        assertThat(asked.told).containsExactly("withdraw");
        FarPipe pipe = new FarPipe();
        asked.asking.elsewhere(pipe);
        asked.asking.refused(ReasonCode.SERVER_UNAVAILABLE, "");
        asked.asking.endUnanswered("");
        asked.asking.endTakenOver();
        node.settle();
        assertThat(pipe.client).isNull();
        assertThat(client.packets()).isEmpty();
        assertThat(connections()).isZero();
        assertThat(held()).isZero();
        here(asked);
        assertThat(asked.told).containsExactly("withdraw", "claimed", "ended");
        assertThat(node.shards[0].load().sessions()).isZero();
    }

    @Test
    void thousand_sockets_that_end_in_one_turn_withdraw_their_questions_at_once() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            clients.add(connect("c" + i));
        }
        clients.forEach(TestClient::cut);
        assertThat(placement.asked)
                .allSatisfy(asked -> assertThat(asked.told).containsExactly("withdraw"));
        node.settle();
        assertThat(connections()).isZero();
        assertThat(held()).isZero();
    }

    @Test
    void connection_that_ends_before_its_question_is_asked_asks_nothing() {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect("c", true, 0, 0);
        assertThat(placement.asked).isEmpty();
        client.cut();
        node.settle();
        assertThat(placement.asked).isEmpty();
        assertThat(connections()).isZero();
    }

    @Test
    void connections_that_wait_for_their_places_are_in_the_account_and_bounded_by_it() {
        node = node(Limits.with(l -> l.partialBytes = 100_000));
        for (int i = 0; i < 300; i++) {
            connect("c" + i);
        }
        assertThat(held()).isBetween(50_000L, 100_000L);
        long refused = node.count(Metric.REFUSED_PARTIAL_BYTES);
        assertThat(refused).isBetween(100L, 250L);
        assertThat(placement.asked).hasSize(300 - (int) refused);
        TestClient late = connect("late");
        Packet.ConnAck answer = (Packet.ConnAck) late.packets().getFirst();
        assertThat(answer.code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        placement.asked.forEach(Asked::here);
        node.settle();
        assertThat(held()).isZero();
    }

    // ---------------------------------------------------------------- taken over elsewhere

    @Test
    void connection_whose_client_id_is_taken_elsewhere_ends_like_one_that_is_taken_over() {
        placement.atOnce = Asked::here;
        TestClient watcher = node.subscriber(1, "watcher", 0, "w");
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect(
                "c",
                true,
                0,
                0,
                new Will(Topic.of("w"), 0, false, text("will"), 0, Properties.NONE));
        node.settle();
        Asked asked = placement.last();
        node.execute(0, asked.asking::endTakenOver);
        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        it -> assertThat(it.reason()).isEqualTo(ReasonCode.SESSION_TAKEN_OVER));
        assertThat(client.isClosed()).isTrue();
        assertThat(watcher.payloads()).containsExactly("will");
        assertThat(asked.told).containsExactly("claimed", "ended");
        assertThat(node.count(Metric.TAKEOVERS)).isEqualTo(1);
        assertThat(node.shards[0].load().sessions()).isZero();
        client.cut();
        node.execute(0, asked.asking::endTakenOver);
        assertThat(asked.told).containsExactly("claimed", "ended");
        assertThat(connections()).isEqualTo(1);
    }

    @Test
    void connection_that_is_taken_over_while_it_claims_gets_no_answer_and_leaves_nothing() {
        TestClient client = connect("c", ProtocolVersion.MQTT_3_1_1, 0);
        Asked asked = placement.last();
        asked.here();
        asked.asking.endTakenOver();
        node.settle();
        assertThat(client.packets()).isEmpty();
        assertThat(client.isClosed()).isTrue();
        assertThat(asked.told).containsExactly("claimed", "ended");
        assertThat(node.shards[0].load().sessions()).isZero();
        assertThat(held()).isZero();
    }

    // ---------------------------------------------------------------- the end of a stay

    private static final NodeRef FAR = new NodeRef(9);

    private final List<Runnable> whenAnswered = new ArrayList<>();
    private boolean isAnswered;

    private @Nullable Object onCall(String name, Object[] arguments) {
        return switch (name) {
            case "position" -> 1L;
            case "isAnswered" -> isAnswered;
            case "whenAnswered" -> whenAnswered.add((Runnable) arguments[2]);
            default -> null;
        };
    }

    private Asked publisherThatIsGone() {
        placement.atOnce = Asked::here;
        node =
                TestNode.of(
                        placement.in(new FarNodes(this::onCall)),
                        1,
                        LimitSettings.DEFAULTS,
                        new MemoryStore());
        node.broker.index().addNode(TopicFilter.of("far/#"), FAR);
        TestClient client = connect("c");
        client.publish("far/a", 1, 1, "a");
        client.publish("far/b", 1, 2, "b");
        node.settle();
        client.cut();
        node.settle();
        return placement.last();
    }

    @Test
    void stay_ends_when_other_nodes_have_answered_for_what_was_published() {
        Asked asked = publisherThatIsGone();
        assertThat(asked.told).containsExactly("claimed");
        assertThat(whenAnswered).hasSize(1);
        isAnswered = true;
        node.execute(0, whenAnswered.getFirst());
        assertThat(asked.told).containsExactly("claimed", "ended");
        node.tick(2 * ScriptedPlacement.PATIENCE_MS);
        assertThat(asked.told).containsExactly("claimed", "ended");
    }

    @Test
    void stay_ends_after_the_patience_of_the_cluster_though_a_node_does_not_answer() {
        Asked asked = publisherThatIsGone();
        node.tick(ScriptedPlacement.PATIENCE_MS - 1_000);
        assertThat(asked.told).containsExactly("claimed");
        node.tick(1_200);
        assertThat(asked.told).containsExactly("claimed", "ended");
        isAnswered = true;
        node.execute(0, whenAnswered.getFirst());
        assertThat(asked.told).containsExactly("claimed", "ended");
    }

    @Test
    void stay_of_a_session_with_a_will_ends_when_that_end_is_persisted() {
        HeldStore store = new HeldStore();
        placement.atOnce = Asked::here;
        node = TestNode.of(placement.in(Cluster.NONE), 1, LimitSettings.DEFAULTS, store);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect(
                "c",
                true,
                0,
                0,
                new Will(Topic.of("w"), 0, false, text("will"), 0, Properties.NONE));
        node.settle();
        assertThat(client.count(PacketType.CONNACK)).isEqualTo(1);
        store.hold();
        client.cut();
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed");
        store.release();
        node.settle();
        assertThat(placement.last().told).containsExactly("claimed", "ended");
    }

    // ---------------------------------------------------------------- elsewhere

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private ByteBuf publishes(TestClient client, int count) {
        ByteBuf all = Unpooled.buffer();
        for (int i = 1; i <= count; i++) {
            all.writeBytes(
                    client.encode(
                            new Packet.Publish(
                                    Topic.of("t"),
                                    1,
                                    false,
                                    false,
                                    i,
                                    Properties.NONE,
                                    text("message " + i))));
        }
        return all;
    }

    private static Packet.Connect packet(String clientId) {
        return new Packet.Connect(
                ProtocolVersion.MQTT_5,
                ClientId.of(clientId),
                true,
                60,
                null,
                null,
                null,
                false,
                Properties.NONE);
    }

    /** CONNECT and what follows in one read, cut anywhere before the last byte. */
    private void assertGoesElsewhere(int count, int cut, boolean atOnce) {
        FarPipe pipe = new FarPipe();
        placement.atOnce =
                asked -> {
                    if (atOnce) {
                        asked.asking.elsewhere(pipe);
                    }
                };
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        ByteBuf all = client.encode(packet("c"));
        int connect = all.readableBytes();
        all.writeBytes(publishes(client, count));
        ByteBuf expected = all.copy(connect, all.readableBytes() - connect);
        int first = Math.min(connect + cut, all.readableBytes());
        client.bytes(all.readSlice(first));
        node.settle();
        if (!atOnce) {
            client.bytes(all.readSlice(all.readableBytes() / 2));
            node.tick(2 * CONNECT_TIMEOUT_MS);
            placement.last().asking.elsewhere(pipe);
        }
        assertThat(pipe.client).isSameAs(client.wire);
        client.bytes(all);
        assertThat(pipe.bytes).isEqualTo(expected);
        assertDismantled(client);
        client.wire.currentListener().onWritable();
        client.cut();
        assertThat(pipe.heard).containsExactly("writable", "closed");
        assertThat(placement.last().told).isEmpty();
    }

    private void assertDismantled(TestClient client) {
        node.tick(10 * CONNECT_TIMEOUT_MS);
        assertThat(client.isClosed()).isFalse();
        assertThat(client.isRead()).isTrue();
        assertThat(client.packets()).isEmpty();
        assertThat(connections()).isZero();
        assertThat(held()).isZero();
        assertThat(node.shards[0].load().sessions()).isZero();
        assertThat(node.count(Metric.PUBLISH_RECEIVED)).isZero();
    }

    @Test
    void connection_that_is_placed_elsewhere_brings_every_byte_behind_its_connect_in_order() {
        for (int cut = 0; cut < 60; cut++) {
            node = node(LimitSettings.DEFAULTS);
            assertGoesElsewhere(4, cut, true);
            node = node(LimitSettings.DEFAULTS);
            assertGoesElsewhere(4, cut, false);
        }
    }

    @Test
    void connection_whose_client_sends_nothing_behind_its_connect_brings_nothing() {
        FarPipe pipe = new FarPipe();
        TestClient client = connect("c");
        placement.last().asking.elsewhere(pipe);
        assertThat(pipe.reads).isZero();
        assertDismantled(client);
    }

    @Test
    void connection_that_was_not_read_any_more_is_read_again_elsewhere() {
        FarPipe pipe = new FarPipe();
        TestClient client = connect("c");
        ByteBuf much = publishes(client, 5_000);
        int count = much.readableBytes();
        client.bytes(much);
        assertThat(client.isRead()).isFalse();
        placement.last().asking.elsewhere(pipe);
        assertThat(pipe.bytes.readableBytes()).isEqualTo(count);
        assertThat(pipe.reads).isEqualTo(1);
        assertDismantled(client);
        client.cut();
        assertThat(pipe.heard).containsExactly("closed");
    }

    @Test
    void paused_connection_that_went_elsewhere_is_not_looked_at_again() {
        FarPipe pipe = new FarPipe();
        TestClient client = connect("c");
        client.bytes(publishes(client, 5_000));
        node.transportBytes = 1L << 60; // An alarm: whoever is paused is asked for its peer.
        client.wire.peerGone();
        placement.last().asking.elsewhere(pipe);
        node.tick(2_000);
        node.tick(2_000);
        assertThat(client.isClosed()).isFalse();
        assertThat(pipe.heard).isEmpty();
    }
}
