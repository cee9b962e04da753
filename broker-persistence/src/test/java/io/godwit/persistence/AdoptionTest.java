package io.godwit.persistence;

import static io.godwit.persistence.AdoptingNode.publishes;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.CameBefore;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.review.SessionEvents;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.StoreMetric;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that runs makes sessions of the copies that it has of another node's. */
class AdoptionTest {
    private final SettableTime time = new SettableTime();
    private final AdoptingNode leader = new AdoptingNode(AdoptingNode.LEADER, time);
    private AdoptingNode node = new AdoptingNode(AdoptingNode.FOLLOWER, time);

    private void takeOver() {
        node.follow(leader);
        node.adopt(leader);
    }

    private void subscriber(String clientId, int qos, String filter) {
        TestClient client = leader.connect(clientId, 0);
        client.subscribe(1, qos, filter);
        leader.settle();
        leader.cut(client);
    }

    private static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> texts(TestClient client) {
        return publishes(client).stream()
                .map(each -> new String(each.payload(), StandardCharsets.UTF_8))
                .toList();
    }

    private static Will will(String topic, int qos, long delaySeconds) {
        return new Will(
                Topic.of(topic),
                qos,
                false,
                "will".getBytes(StandardCharsets.UTF_8),
                delaySeconds,
                Properties.NONE);
    }

    @Test
    void session_events_tell_of_sessions_that_have_moved_here() {
        List<String> told = new ArrayList<>();
        SessionEvents events =
                (clientId, owner, expirySeconds, kind, cause) ->
                        told.add(clientId + " " + expirySeconds + " " + kind + " " + cause);
        node.node.broker().context().reviews().sessionEvents(events);
        subscriber("s", 1, "t/#");
        takeOver();
        assertThat(told).containsExactly("s 3600 MOVED_HERE LEADER_CHANGED");
        node.connect("s", 3);
        assertThat(told).last().isEqualTo("s 3600 RESUMED CONNECT");
    }

    @Test
    void queued_messages_and_those_in_flight_are_sent_as_after_a_restart() {
        TestClient client = leader.connect("s", 3);
        client.subscribe(1, 2, "t/#");
        leader.settle();
        leader.publish("t/1", 1, "m1");
        leader.publish("t/2", 2, "m2");
        leader.publish("t/3", 2, "m3");
        leader.publish("t/4", 1, "m4");
        List<Packet.Publish> sent = publishes(client);
        assertThat(texts(client)).containsExactly("m1", "m2", "m3");
        client.ack(PacketType.PUBREC, sent.get(1).packetId());
        leader.settle();
        leader.cut(client);
        takeOver();
        node.publish("t/5", 1, "m5");

        TestClient again = node.connect("s", 3);

        assertThat(connAck(again).sessionPresent()).isTrue();
        List<Packet.Publish> repeated = publishes(again);
        assertThat(texts(again)).containsExactly("m1", "m3");
        assertThat(repeated).allMatch(Packet.Publish::dup);
        assertThat(repeated)
                .extracting(Packet.Publish::packetId)
                .containsExactly(sent.get(0).packetId(), sent.get(2).packetId());
        assertThat(again.packets())
                .filteredOn(each -> each.type() == PacketType.PUBREL)
                .extracting(each -> ((Packet.Ack) each).packetId())
                .containsExactly(sent.get(1).packetId());
        again.ack(PacketType.PUBACK, sent.get(0).packetId());
        again.ack(PacketType.PUBCOMP, sent.get(1).packetId());
        again.ack(PacketType.PUBREC, sent.get(2).packetId());
        node.settle();
        again.ack(PacketType.PUBCOMP, sent.get(2).packetId());
        node.settle();
        assertThat(texts(again)).containsExactly("m1", "m3", "m4", "m5");
        publishes(again).stream()
                .skip(2)
                .forEach(each -> again.ack(PacketType.PUBACK, each.packetId()));
        node.settle();
        node.store.endWindow();
        node.settle();
        assertThat(node.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(node.store.value(StoreMetric.COPIES)).isZero();
    }

    @Test
    void repeated_qos_2_publish_of_an_adopted_session_is_routed_once() {
        subscriber("s", 2, "t");
        TestClient publisher = leader.connect("p", 0);
        publisher.publish("t", 2, 5, "once");
        leader.settle();
        leader.cut(publisher);
        takeOver();
        assertThat(node.cluster.publishes).hasSize(1);
        assertThat(node.cluster.remembered.keySet()).isEqualTo(node.cluster.publishes);

        TestClient again = node.connect("p", 0);
        again.publishAgain("t", 2, 5, "once");
        node.settle();
        again.ack(PacketType.PUBREL, 5);
        node.settle();

        assertThat(again.packets())
                .extracting(Packet::type)
                .containsExactly(PacketType.CONNACK, PacketType.PUBREC, PacketType.PUBCOMP);
        assertThat(texts(node.connect("s", 0))).containsExactly("once");
        assertThat(node.cluster.over).containsExactlyElementsOf(node.cluster.publishes);
        assertThat(node.cluster.remembered).isEmpty();
    }

    @Test
    void repeated_qos_2_publish_comes_once_wherever_the_stream_has_ended() {
        repeatAtEachEnd("p", ofSetOf("p"), 2);
    }

    @ParameterizedTest
    @CsvSource({"p, s", "s, p"})
    void repeated_qos_2_publish_comes_once_also_to_a_queue_of_another_copy_set(
            String publisherId, String subscriberId) {
        assertThat(CopySets.of(ClientId.of(publisherId)))
                .isNotEqualTo(CopySets.of(ClientId.of(subscriberId)));
        repeatAtEachEnd(publisherId, subscriberId, 3);
    }

    /**
     * Adopts the sessions of a QoS 2 publisher and of its subscriber from each prefix of the
     * leader's stream, and has the client repeat what was not released.
     *
     * @param least parts that the message makes, at least
     */
    private void repeatAtEachEnd(String publisherId, String subscriberId, int least) {
        subscriber(subscriberId, 2, "t");
        TestClient publisher = leader.connect(publisherId, 0);
        int before = leader.parts.size();
        publisher.publish("t", 2, 5, "once");
        leader.settle();
        int unreleased = leader.parts.size();
        publisher.ack(PacketType.PUBREL, 5);
        leader.settle();
        int end = leader.parts.size();
        assertThat(end).isGreaterThan(before + least);
        for (int parts = before; parts <= end; parts++) {
            node = new AdoptingNode(AdoptingNode.FOLLOWER, time);
            node.follow(leader, parts);
            node.adopt(leader);
            boolean isReleased = parts > unreleased; // Behind PUBREL no client sends it again.

            TestClient again = node.connect(publisherId, 0);
            if (!isReleased) {
                again.publishAgain("t", 2, 5, "once");
                node.settle();
            }
            again.ack(PacketType.PUBREL, 5);
            node.settle();

            assertThat(texts(node.connect(subscriberId, 0)))
                    .as("after %d of %d parts", parts - before, end - before)
                    .containsExactly("once");
        }
    }

    /** Returns a client id of the same copy set as another one. */
    private static String ofSetOf(String clientId) {
        int number = 0;
        while (CopySets.of(ClientId.of("s" + number)) != CopySets.of(ClientId.of(clientId))) {
            number++;
        }
        return "s" + number;
    }

    @Test
    void subscriptions_of_all_kinds_count_as_before() {
        TestClient client = leader.connect("s", 0);
        subscribe(client, 1, 7, new Packet.Subscription(TopicFilter.of("a/b"), 1, false, false, 0));
        subscribe(client, 2, 8, new Packet.Subscription(TopicFilter.of("a/+"), 2, false, true, 0));
        subscribe(client, 3, 9, new Packet.Subscription(TopicFilter.of("own"), 1, true, false, 0));
        subscribe(
                client,
                4,
                0,
                new Packet.Subscription(TopicFilter.of("$share/g/jobs"), 1, false, false, 0));
        leader.cut(client);
        takeOver();

        TestClient again = node.connect("s", 0);
        again.publish("own", 1, 1, "of its own");
        node.settle();
        node.publish("own", 1, "of another");
        node.publish("a/b", 2, "both");
        node.publish("jobs", 1, "job");

        assertThat(texts(again)).containsExactly("of another", "both", "job");
        Packet.Publish both = publishes(again).get(1);
        assertThat(both.qos()).isEqualTo(2);
        assertThat(both.properties())
                .isEqualTo(
                        Properties.builder()
                                .add(Property.SUBSCRIPTION_IDENTIFIER, 7)
                                .add(Property.SUBSCRIPTION_IDENTIFIER, 8)
                                .build());
        // It can give them up, too.
        again.send(
                new Packet.Unsubscribe(
                        9,
                        List.of(
                                TopicFilter.of("a/b"),
                                TopicFilter.of("a/+"),
                                TopicFilter.of("$share/g/jobs")),
                        Properties.NONE));
        node.settle();
        node.publish("a/b", 1, "to nobody");
        node.publish("jobs", 1, "to nobody");
        assertThat(texts(again)).hasSize(3);
    }

    private void subscribe(TestClient client, int packetId, int id, Packet.Subscription to) {
        Properties.Builder properties = Properties.builder();
        if (id > 0) {
            properties.add(Property.SUBSCRIPTION_IDENTIFIER, id);
        }
        client.send(new Packet.Subscribe(packetId, List.of(to), properties.build()));
        leader.settle();
    }

    @Test
    void other_nodes_are_told_of_filters_before_it_is_done() {
        subscriber("a", 1, "a/b");
        subscriber("b", 1, "$share/g/jobs");
        node.follow(leader);
        assertThat(node.cluster.filters).isEmpty();
        Set<String> told = new HashSet<>();

        for (int set = 1; set < 9; set++) {
            node.beginToAdopt(leader, set, () -> told.addAll(node.cluster.filters));
        }
        node.settle();

        assertThat(told).containsExactlyInAnyOrder("a/b", "$share/g/jobs");
    }

    @Test
    void what_had_come_before_a_subscription_at_the_former_leader_does_not_count() {
        leader.cluster.came = 100;
        subscriber("s", 1, "t");
        assertThat(cameBefore(leader, "s")).isNotNull();

        takeOver();

        assertThat(cameBefore(node, "s")).isNull();
        node = node.afterCrash();
        assertThat(cameBefore(node, "s")).isNull();
    }

    @Test
    void what_had_come_before_a_subscription_here_counts_after_a_start() {
        subscriber("s", 1, "t");
        takeOver();
        node.cluster.came = 100;
        TestClient client = node.connect("s", 0);
        client.subscribe(1, 1, "u");
        node.settle();

        node = node.afterCrash();

        assertThat(node.node.session("s").subscriptions().all())
                .filteredOn(each -> each.cameBefore() != null)
                .extracting(each -> each.filter.toString())
                .containsExactly("u");
    }

    private static @Nullable CameBefore cameBefore(AdoptingNode at, String clientId) {
        return at.node.session(clientId).subscriptions().all().iterator().next().cameBefore();
    }

    @Test
    void queue_that_goes_before_another_one_is_adopted_with_it() {
        subscriber("old", 1, "t");
        leader.publish("t", 1, "first");
        subscriber("s", 1, "t");
        leader.publish("t", 1, "second");
        long old = leader.node.session("old").queueId();
        long queueId = leader.node.session("s").queueId();
        BrokerShard shard = leader.node.broker().shard(0);
        shard.execute(() -> shard.store().putPredecessor(queueId, old));
        leader.settle();

        takeOver();

        assertThat(node.store.value(StoreMetric.COPIES)).isZero();
        TestClient client = node.connect("s", 0);
        assertThat(texts(client)).containsExactly("first", "second", "second");
        assertThat(connAck(node.connect("old", 0)).sessionPresent()).isFalse();
        publishes(client).forEach(each -> client.ack(PacketType.PUBACK, each.packetId()));
        node.settle();
        node.store.endWindow();
        node.settle();
        assertThat(node.store.value(StoreMetric.QUEUED)).isZero();
    }

    @Test
    void durable_session_here_that_is_younger_stays_and_the_adopted_one_is_set_aside() {
        subscriber("s", 1, "t");
        leader.publish("t", 1, "of the other");
        node.follow(leader);
        time.advance(1_000);
        TestClient own = node.connect("s", 0);
        own.subscribe(1, 1, "own");
        node.settle();

        node.adopt(leader);

        assertThat(own.isClosed()).isFalse();
        assertThat(texts(own)).isEmpty();
        node.publish("own", 1, "m");
        assertThat(texts(own)).containsExactly("m");
        assertThat(node.node.count(Metric.SESSIONS_SET_ASIDE)).isEqualTo(1);
        node = node.afterCrash();
        assertThat(node.node.count(Metric.SESSIONS_SET_ASIDE)).isEqualTo(1);
    }

    @Test
    void session_that_its_leader_had_set_aside_stays_so() {
        subscriber("s", 1, "t");
        leader.node.execute(
                ClientId.of("s").slot() % 2, () -> leader.node.session("s").life().setAside());
        leader.settle();

        takeOver();

        assertThat(node.node.count(Metric.SESSIONS_SET_ASIDE)).isEqualTo(1);
        assertThat(connAck(node.connect("s", 0)).sessionPresent()).isFalse();
        assertThat(node.adoptable(leader)).isEmpty();
    }

    @Test
    void wills_are_published_after_their_delay_by_the_wall_clock() {
        TestClient late = leader.connect("late", false, 3_600, 0, will("w/late", 1, 60));
        TestClient due = leader.connect("due", false, 3_600, 0, will("w/due", 2, 5));
        leader.cut(late);
        leader.cut(due);
        node.follow(leader);
        TestClient watcher = node.connect("watcher", 0);
        watcher.subscribe(1, 2, "w/#");
        node.settle();
        node.tick(20_000);
        assertThat(publishes(watcher)).isEmpty();

        node.adopt(leader);

        assertThat(publishes(watcher))
                .extracting(each -> String.valueOf(each.topic()))
                .containsExactly("w/due");
        node.tick(30_000);
        assertThat(publishes(watcher)).hasSize(1);
        node.tick(11_000);
        assertThat(publishes(watcher))
                .extracting(each -> String.valueOf(each.topic()))
                .containsExactly("w/due", "w/late");
    }

    @Test
    void will_of_a_client_that_was_connected_counts_from_the_adoption_on() {
        leader.connect("s", false, 3_600, 0, will("w", 1, 5));
        node.follow(leader);
        TestClient watcher = node.connect("watcher", 0);
        watcher.subscribe(1, 1, "w");
        node.settle();
        node.tick(20_000);

        node.adopt(leader);
        assertThat(publishes(watcher)).isEmpty();
        node.tick(6_000);

        assertThat(publishes(watcher)).hasSize(1);
    }

    @Test
    void will_of_a_transient_session_that_was_owed_is_published() {
        TestClient client = leader.connect("s", true, 0, 0, will("w", 1, 0));
        node.follow(leader); // While it is connected.
        assertThat(client.isClosed()).isFalse();
        TestClient watcher = node.connect("watcher", 0);
        watcher.subscribe(1, 1, "w");
        node.settle();

        node.adopt(leader);

        assertThat(publishes(watcher)).hasSize(1);
        assertThat(node.adoptable(leader)).isEmpty();
    }

    @Test
    void session_whose_expiry_is_over_ends() {
        TestClient over = leader.connect("over", false, 10, 0, null);
        over.subscribe(1, 1, "t");
        leader.settle();
        leader.cut(over);
        TestClient soon = leader.connect("soon", false, 100, 0, null);
        soon.subscribe(1, 1, "t");
        leader.settle();
        leader.cut(soon);
        node.follow(leader);
        node.tick(20_000);

        node.adopt(leader);

        assertThat(node.node.count(Metric.SESSIONS_EXPIRED)).isEqualTo(1);
        node.tick(85_000);
        assertThat(node.node.count(Metric.SESSIONS_EXPIRED)).isEqualTo(2);
        assertThat(connAck(node.connect("over", 0)).sessionPresent()).isFalse();
        assertThat(connAck(node.connect("soon", 0)).sessionPresent()).isFalse();
        node.publish("t", 1, "for nobody");
        node.store.endWindow();
        node.settle();
        assertThat(node.store.value(StoreMetric.QUEUED)).isZero();
    }

    @Test
    void digests_of_adopted_queues_stay_as_they_were() {
        subscriber("a", 2, "t");
        subscriber("b", 1, "t");
        leader.publish("t", 2, "m1");
        leader.publish("t", 1, "m2");
        Map<String, String> before = leader.digests();
        takeOver();

        assertThat(before).containsKeys("a", "b");
        assertThat(node.digests()).isEqualTo(before);
    }

    @Test
    void what_was_adopted_is_left_alone_the_next_time() {
        subscriber("s", 1, "t");
        leader.publish("t", 1, "m1");
        takeOver();
        assertThat(node.adoptable(leader)).isEmpty();
        TestClient client = node.connect("s", 0);

        node.adopt(leader);
        node.publish("t", 1, "m2");

        assertThat(client.isClosed()).isFalse();
        assertThat(texts(client)).containsExactly("m1", "m2");
    }

    @Test
    void sessions_of_the_wanted_slots_alone_are_adopted() {
        for (int i = 0; i < 30; i++) {
            subscriber("s" + i, 1, "t");
        }
        node.follow(leader);
        assertThat(node.adoptable(leader)).hasSize(30).doesNotHaveDuplicates();
        ClientId wanted = ClientId.of("s7");
        BitSet slots = new BitSet();
        slots.set(wanted.slot());

        node.beginToAdopt(leader, CopySets.of(wanted), slots, () -> {});
        node.settle();

        assertThat(node.adoptable(leader))
                .hasSize(29)
                .extracting(Adoptable::clientId)
                .doesNotContain(wanted);
        node.adopt(leader);
        assertThat(node.store.value(StoreMetric.COPIES)).isZero();
    }

    @Test
    void parts_of_the_former_leader_do_not_count_any_more() {
        subscriber("s", 1, "t");
        takeOver();
        leader.publish("t", 1, "late");
        node.follow(leader);

        assertThat(publishes(node.connect("s", 0))).isEmpty();
        assertThat(node.store.value(StoreMetric.PARTS_REFUSED)).isPositive();
    }

    @Test
    void transient_session_that_began_later_ends_the_adopted_one() {
        subscriber("s", 1, "t");
        node.follow(leader);
        time.advance(1_000);
        TestClient later = node.connect("s", true, 0, 0, null);

        node.adopt(leader);

        assertThat(later.isClosed()).isFalse();
        node.publish("t", 1, "for nobody");
        node.cut(later);
        assertThat(connAck(node.connect("s", 0)).sessionPresent()).isFalse();
        assertThat(node.adoptable(leader)).isEmpty();
    }

    @Test
    void transient_session_that_began_before_is_ended_by_the_adopted_one() {
        TestClient earlier = node.connect("s", true, 0, 0, null);
        time.advance(1_000);
        subscriber("s", 1, "t");
        leader.publish("t", 1, "m");

        takeOver();

        assertThat(earlier.isClosed()).isTrue();
        assertThat(texts(node.connect("s", 0))).containsExactly("m");
    }

    @Test
    void clients_of_this_node_are_served_meanwhile() {
        for (int i = 0; i < 600; i++) {
            subscriber("s" + i, 1, "t");
        }
        node.follow(leader);
        TestClient own = node.connect("own", 0);
        own.subscribe(1, 1, "own");
        node.settle();
        List<Boolean> done = new ArrayList<>();
        for (int set = 1; set < 9; set++) {
            node.beginToAdopt(leader, set, () -> done.add(true));
        }
        int sent = 0;
        while (done.size() < 8) {
            sent++;
            own.publish("own", 1, sent, "m" + sent);
            node.node.settle();
            node.workers.pass(1);
        }
        node.settle();

        assertThat(sent).isGreaterThan(1);
        assertThat(texts(own)).hasSize(sent);
        node.publish("t", 1, "for all");
        assertThat(texts(node.connect("s0", 0))).containsExactly("for all");
        assertThat(texts(node.connect("s599", 0))).containsExactly("for all");
    }

    @Test
    void crash_in_the_middle_leaves_each_session_a_copy_or_adopted() {
        int count = 500;
        for (int i = 0; i < count; i++) {
            subscriber("s" + i, 1, "t");
        }
        leader.publish("t", 1, "m");
        boolean wasInTheMiddle = false;
        for (int steps = 0; steps < 40; steps += 2) {
            node = new AdoptingNode(AdoptingNode.FOLLOWER, time);
            node.follow(leader);
            for (int set = 1; set < 9; set++) {
                node.beginToAdopt(leader, set, () -> {});
            }
            for (int i = 0; i < steps; i++) {
                node.node.settle();
                node.workers.step();
            }
            node = node.afterCrash();
            int left = node.adoptable(leader).size();
            wasInTheMiddle |= left > 0 && left < count;

            node.adopt(leader);

            assertThat(node.store.value(StoreMetric.COPIES)).isZero();
            node.store.endWindow();
            node.settle();
            assertThat(node.store.value(StoreMetric.QUEUED)).isEqualTo(count);
            for (int i = 0; i < count; i += 37) {
                assertThat(texts(node.connect("s" + i, 0))).containsExactly("m");
            }
        }
        assertThat(wasInTheMiddle).isTrue();
    }
}
