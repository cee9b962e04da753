package io.godwit.persistence;

import static io.godwit.persistence.AdoptingNode.publishes;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.store.StoreMetric;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions of a node that was taken over from become copies of the new leader's. */
class YieldedSessionsTest {
    private static final Epoch TAKEN = new Epoch(Epoch.number(2, 1), AdoptingNode.FOLLOWER);

    private final SettableTime time = new SettableTime();
    private AdoptingNode former = new AdoptingNode(AdoptingNode.LEADER, time);
    private final AdoptingNode taker = new AdoptingNode(AdoptingNode.FOLLOWER, time);

    /** Has the former leader hear of the take-over of all slots. */
    private void yieldAll() {
        BitSet all = new BitSet();
        all.set(0, ClientId.SLOTS);
        for (int i = 0; i < 2; i++) {
            BrokerShard shard = former.node.broker().shard(i);
            shard.execute(() ->
                    shard.takeover()
                            .registrar()
                            .sessionsIn(all)
                            .forEach(each -> shard.takeover().yieldTo(each, TAKEN)));
        }
        former.settle();
        former.node.broker().closeClients(all);
        former.settle();
    }

    private TestClient subscriber(String clientId, int qos, String filter) {
        TestClient client = former.connect(clientId, 0);
        client.subscribe(1, qos, filter);
        former.settle();
        return client;
    }

    private Map<MemoryClass, Long> accounts() {
        Map<MemoryClass, Long> all = new EnumMap<>(MemoryClass.class);
        for (MemoryClass each : MemoryClass.values()) {
            all.put(each, former.node.broker().context().load().memory().account(each));
        }
        all.remove(MemoryClass.ROUTES); // Of topics that were published to, whoever has got them.
        return all;
    }

    private int registered() {
        return former.node.broker().shard(0).takeover().registrar().size()
                + former.node.broker().shard(1).takeover().registrar().size();
    }

    private static List<String> texts(TestClient client) {
        return publishes(client).stream()
                .map(each -> new String(each.payload(), StandardCharsets.UTF_8))
                .toList();
    }

    private static Will will() {
        return new Will(
                Topic.of("will"),
                1,
                false,
                "gone".getBytes(StandardCharsets.UTF_8),
                0,
                Properties.NONE);
    }

    @Test
    void nothing_of_a_yielded_session_is_left_in_memory() {
        former.publish("warm/up", 2, "m");
        former.store.endWindow();
        former.settle();
        Map<MemoryClass, Long> before = accounts();
        TestClient online = subscriber("online", 2, "t/#");
        TestClient offline = subscriber("offline", 1, "t/1");
        former.cut(offline);
        TestClient publisher = former.connect("publishing", 0);
        subscriber("member", 1, "$share/g/t/1");
        former.connect("waiting", false, 3_600, 0, will());
        publisher.publish("t/1", 2, 7, "a");
        former.publish("t/1", 1, "b");
        assertThat(texts(online)).containsExactly("a", "b");

        yieldAll();
        former.store.endWindow();
        former.settle();
        assertThat(registered()).isZero();
        for (int i = 0; i < 2; i++) {
            assertThat(former.node.broker().shard(i).load().subscriptions()).isZero();
        }
        assertThat(former.cluster.filters).doesNotContain("t/#", "t/1");
        // The group that all have left remembers a message until it is over at the other node.
        BrokerShard owner = former.node.broker().shard(TopicIndex.OWNER);
        owner.execute(() -> former.cluster.remembered.values().forEach(by -> by.forget(owner)));
        former.settle();
        former.store.endWindow();
        former.settle();
        former.tick(100);
        assertThat(accounts()).isEqualTo(before);
        assertThat(former.node.count(Metric.SESSIONS_SET_ASIDE)).isZero();
        assertThat(former.node.count(Metric.WILLS_PUBLISHED)).isZero();
        assertThat(former.store.value(StoreMetric.COPIES)).isEqualTo(5);
        assertThat(former.store.value(StoreMetric.QUEUED)).isZero();
    }

    @Test
    void session_events_tell_of_sessions_that_have_moved_away() {
        List<String> told = new ArrayList<>();
        former.connect("s", false, 3_600, 0, null);
        former.node
                .broker()
                .context()
                .reviews()
                .sessionEvents((clientId, owner, expirySeconds, kind, cause) ->
                        told.add(clientId + " " + kind + " " + cause));
        yieldAll();
        assertThat(told).containsExactly("s MOVED_AWAY LEADER_CHANGED");
    }

    @Test
    void client_of_a_yielded_session_is_told_that_the_server_goes_and_no_will_is_published() {
        TestClient client = former.connect("s", false, 3_600, 0, will());
        yieldAll();

        assertThat(client.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        each ->
                                assertThat(each.reason())
                                        .isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN));
        assertThat(former.node.count(Metric.WILLS_PUBLISHED)).isZero();
        former.tick(60_000);
        assertThat(former.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @Test
    void yielded_session_does_not_expire_here() {
        former.cut(former.connect("s", false, 10, 0, null));
        yieldAll();
        former.tick(20_000);
        former = former.afterCrash();
        former.tick(20_000);
        assertThat(former.store.value(StoreMetric.COPIES)).isEqualTo(1);
        assertThat(registered()).isZero();
    }

    @Test
    void session_that_is_yielded_and_adopted_again_goes_on_where_it_was() {
        TestClient client = subscriber("s", 2, "t/#");
        former.publish("t/1", 1, "m1");
        former.publish("t/2", 2, "m2");
        List<Packet.Publish> sent = publishes(client);
        client.ack(PacketType.PUBREC, sent.get(1).packetId());
        former.settle();
        former.cut(client);
        former.publish("t/3", 1, "m3");
        Map<String, String> before = former.digests();
        yieldAll();
        assertThat(former.digests()).isEqualTo(before);
        assertThat(former.adoptable(taker)).hasSize(1);

        former.adopt(taker);
        former.publish("t/4", 2, "m4");
        TestClient again = former.connect("s", 0);

        assertThat(texts(again)).containsExactly("m1", "m3", "m4");
        assertThat(again.packets()).filteredOn(each -> each.type() == PacketType.PUBREL).hasSize(1);
    }

    @Test
    void session_that_was_yielded_before_a_crash_is_not_taken_up() {
        former.cut(subscriber("s", 1, "t/#"));
        former.publish("t/1", 1, "m1");
        yieldAll();
        former = former.afterCrash();
        assertThat(registered()).isZero();
        assertThat(former.adoptable(taker)).hasSize(1);
        former.adopt(taker);
        assertThat(texts(former.connect("s", 0))).containsExactly("m1");
    }

    @Test
    void start_yields_what_another_node_has_taken_over() {
        former.cut(subscriber("s", 1, "t/#"));
        former.publish("t/1", 1, "m1");
        former.connect("waiting", false, 3_600, 0, will());
        former = former.afterCrash(TAKEN);
        former.tick(60_000);
        assertThat(registered()).isZero();
        assertThat(former.node.count(Metric.WILLS_PUBLISHED)).isZero();
        assertThat(former.adoptable(taker)).hasSize(2);
        former.adopt(taker);
        assertThat(texts(former.connect("s", 0))).containsExactly("m1");
    }

    @Test
    void start_publishes_the_will_of_a_transient_client_whoever_leads_its_slot() {
        former.connect("transient", true, 0, 0, will());
        former = former.afterCrash(TAKEN);
        former.tick(100);
        assertThat(former.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
    }

    @Test
    void qos_2_publish_that_its_client_repeats_elsewhere_is_remembered_here() {
        former.cut(subscriber("s", 2, "t"));
        TestClient publisher = former.connect("p", 0);
        publisher.publish("t", 2, 5, "once");
        former.settle();
        BitSet slots = new BitSet();
        slots.set(ClientId.of("p").slot());
        BrokerShard shard = former.node.broker().shard(ClientId.of("p").slot() % 2);
        shard.execute(() ->
                shard.takeover()
                        .registrar()
                        .sessionsIn(slots)
                        .forEach(each -> shard.takeover().yieldTo(each, TAKEN)));
        former.settle();
        assertThat(former.cluster.over).isEmpty();
        former.adopt(taker);

        TestClient again = former.connect("p", 0);
        again.publishAgain("t", 2, 5, "once");
        former.settle();

        assertThat(texts(former.connect("s", 0))).containsExactly("once");
    }

    @Test
    void publishes_reach_a_yielded_session_no_more() {
        former.cut(subscriber("s", 1, "t/#"));
        yieldAll();
        former.publish("t/1", 1, "late");
        former.adopt(taker);
        assertThat(texts(former.connect("s", 0))).isEmpty();
    }
}
