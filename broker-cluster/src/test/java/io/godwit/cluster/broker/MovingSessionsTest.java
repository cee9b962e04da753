package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of a cluster connect where they like, and find their sessions there.
 *
 * <p>Runs of seeds of every kind, each with the directed cases of what it has found: hence its
 * length.
 */
class MovingSessionsTest {
    private LoopNodes nodes;
    private TestClient publisher;
    private int published;

    @BeforeEach
    void threeNodes() {
        nodes = new LoopNodes(3, new SplittableRandom(1));
        publisher = nodes.node(3).connect("p", true, 0);
        nodes.settle();
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            published++;
            publisher.publish("t", 1, published, "m" + published);
            nodes.settle();
        }
    }

    private TestClient connect(int node, long expirySeconds) {
        TestClient client = nodes.node(node).connect("s", false, expirySeconds);
        nodes.settle();
        return client;
    }

    private static Packet.ConnAck connAck(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no CONNACK: " + client.packets()));
    }

    private static ReasonCode reason(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Disconnect.class::isInstance)
                .map(packet -> ((Packet.Disconnect) packet).reason())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no DISCONNECT"));
    }

    private void acknowledgeAll(TestClient client) {
        for (int i = 0; i < client.packets().size(); i++) {
            if (client.packets().get(i) instanceof Packet.Publish publish) {
                client.ack(PacketType.PUBACK, publish.packetId());
                nodes.settle();
            }
        }
    }

    private long queuedBytes() {
        long sum = 0;
        for (LoopNodes.One each : nodes.nodes) {
            for (int shard = 0; shard < each.node().broker().shards(); shard++) {
                sum += each.node().broker().shard(shard).load().queuedBytes();
            }
        }
        return sum;
    }

    @Test
    void a_session_moves_with_its_client_and_what_is_published_meanwhile_comes_once() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        first.cut();
        nodes.settle();
        publish(20);
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        publish(5);
        acknowledgeAll(second);
        assertThat(queuedBytes()).as("of what it remembers on its way").isPositive();
        nodes.pass(8_000);
        publish(5);
        acknowledgeAll(second);
        assertThat(queuedBytes()).isZero();
        assertThat(second.payloads()).hasSize(30).doesNotHaveDuplicates();
        assertThat(second.payloads()).startsWith("m1", "m2").endsWith("m29", "m30");
        assertThat(nodes.node(1).store.state().sessions()).isZero();
        assertThat(nodes.node(2).store.state().sessions()).isEqualTo(1);
    }

    /** Its client is at node 1, and another one at node 2 has the same subscription. */
    private void twoSubscribers() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        TestClient other = nodes.node(2).connect("other", false, 3600);
        other.subscribe(1, 1, "t");
        nodes.settle();
    }

    @Test
    void what_comes_directly_waits_for_what_is_still_on_its_way_round() {
        twoSubscribers();
        nodes.node(1).slowFrom = 3;
        publish(1);
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        publish(2);
        assertThat(second.payloads()).isEmpty();
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
    }

    /** What comes to a session that has got and acknowledged m1 where it was for long. */
    private List<String> takenBeforeItCameHere(Rules rules) {
        nodes = new LoopNodes(3, new SplittableRandom(1), rules);
        publisher = nodes.node(1).connect("p", true, 0);
        published = 0;
        TestClient first = connect(3, 3600);
        first.subscribe(1, 1, "t");
        nodes.node(2).connect("other", false, 3600).subscribe(1, 1, "t");
        nodes.pass(5_000);
        nodes.node(2).slowFrom = 1;
        publish(1);
        acknowledgeAll(first);
        assertThat(first.payloads()).containsExactly("m1");
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        nodes.node(2).slowFrom = 0;
        nodes.pass(1_500);
        assertThat(acknowledged()).isEqualTo(1);
        publish(1);
        nodes.pass(3_000);
        return second.payloads();
    }

    @Test
    void what_was_taken_where_the_session_was_is_not_taken_again_when_it_comes_directly() {
        assertThat(takenBeforeItCameHere(Rules.ALL)).containsExactly("m2");
        assertThat(takenBeforeItCameHere(Rules.without(Rule.TAKEN_GOES_ALONG)))
                .containsExactly("m1", "m2");
    }

    /** Publishes of node 3 are much slower to a node than all else. */
    private void slow(int to, boolean isSlow) {
        nodes.node(3).links.get(to).isSlow = isSlow;
    }

    /** Where it was meanwhile another message was there sooner, and is passed on. */
    @Test
    void what_the_last_home_passes_on_waits_for_what_comes_directly_to_a_session_that_is_back() {
        twoSubscribers();
        slow(1, true);
        publish(1);
        connect(2, 3600);
        publish(1);
        TestClient back = connect(1, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).isEmpty();
        slow(1, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** Nobody waits for ever for what does not come directly any more. */
    @Test
    void what_the_last_home_passes_on_is_delivered_when_nothing_older_comes_directly() {
        twoSubscribers();
        slow(1, true);
        connect(2, 3600);
        publish(1);
        TestClient back = connect(1, 3600);
        nodes.node(3).crash();
        nodes.pass(1_000);
        assertThat(back.payloads()).isEmpty();
        nodes.pass(6_000);
        assertThat(back.payloads()).containsExactly("m1");
    }

    /** What the copy has passed on came to where nobody wanted it: there it comes directly. */
    @Test
    void of_a_filter_that_was_subscribed_elsewhere_what_comes_directly_waits_for_that_home() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        second.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        second.subscribe(3, 1, "t");
        nodes.settle();
        slow(2, true);
        publish(1);
        assertThat(second.payloads()).isEmpty();
        TestClient back = connect(1, 3600);
        publish(1);
        assertThat(back.payloads()).isEmpty();
        slow(2, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** It was subscribed where the session was taken back, and was not there when it came. */
    @Test
    void what_came_while_a_session_was_given_is_its_own_when_it_is_taken_back() {
        connect(1, 3600);
        TestClient second = connect(2, 3600);
        second.subscribe(1, 1, "t");
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        nodes.node(3).store.hold();
        connect(3, 3600);
        publish(1);
        assertThat(acknowledged()).isZero();
        nodes.node(3).crash();
        nodes.node(3).restart();
        nodes.pass(500);
        TestClient back = connect(2, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).containsExactly("m1");
        assertThat(acknowledged()).isEqualTo(1);
    }

    @Test
    void what_has_come_directly_alone_is_delivered_when_the_former_home_has_let_go() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        nodes.node(1).slowFrom = 3;
        publish(3);
        assertThat(second.payloads()).isEmpty();
        nodes.pass(1_500);
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        publish(1);
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void nothing_comes_twice_while_a_former_home_lets_go() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        for (int i = 1; i <= 40; i++) {
            publisher.publish("t", 1, i, "m" + i);
            nodes.pass(100);
        }
        assertThat(second.payloads()).hasSize(40).doesNotHaveDuplicates();
        assertThat(nodes.node(1).store.state().sessions()).isZero();
    }

    /** A node that is heard again is sent again what it has not answered, on the same link. */
    @Test
    void what_a_former_home_sends_again_comes_once_however_late() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        TestClient second = connect(2, 3600);
        nodes.node(2).slowFrom = 1;
        publish(1);
        nodes.pass(1_500);
        nodes.node(1).silent(nodes.node(2));
        nodes.node(1).heard(nodes.node(2));
        nodes.settle();
        Deque<LoopLink.Sent> appends = nodes.node(1).links.get(2).sent.get(TrafficClass.APPENDS);
        assertThat(appends).filteredOn(each -> each.type().name().equals("forward")).hasSize(2);
        List<LoopLink.Sent> late = new ArrayList<>();
        while (late.isEmpty() || !late.getFirst().type().name().equals("forward")) {
            late.addFirst(appends.removeLast());
        }
        nodes.node(2).slowFrom = 0;
        nodes.pass(1_000);
        assertThat(acknowledged()).isEqualTo(1);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
        appends.addAll(late);
        nodes.pass(10_000);
        assertThat(second.payloads()).containsExactly("m1");
        acknowledgeAll(second);
        assertThat(queuedBytes()).isZero();
    }

    @Test
    void what_a_former_home_passes_on_after_unsubscribe_is_not_taken() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        second.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        nodes.settle();
        publish(2);
        assertThat(second.payloads()).isEmpty();
        second.subscribe(3, 1, "t");
        nodes.settle();
        publish(2);
        assertThat(second.payloads()).containsExactly("m3", "m4");
        nodes.pass(1_500);
        publish(1);
        assertThat(second.payloads()).containsExactly("m3", "m4", "m5");
    }

    @Test
    void a_live_message_that_keeps_its_retain_flag_comes_once() {
        TestClient first = connect(1, 3600);
        first.send(
                new Packet.Subscribe(
                        1,
                        List.of(new Packet.Subscription(TopicFilter.of("t"), 1, false, true, 0)),
                        Properties.NONE));
        nodes.settle();
        TestClient second = connect(2, 3600);
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"), 1, false, true, 1, Properties.NONE, new byte[] {'r'}));
        nodes.settle();
        nodes.pass(1_500);
        assertThat(second.payloads()).containsExactly("r");
    }

    private void full(int from, int to, boolean isFull) {
        LoopLink link = nodes.node(from).links.get(to);
        link.isFull = isFull;
        if (!isFull) {
            nodes.node(from).part().onRoom(link, TrafficClass.APPENDS);
            nodes.settle();
        }
    }

    @Test
    void a_page_that_its_link_has_no_room_for_comes_when_it_has() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        first.cut();
        nodes.settle();
        publish(3);
        full(1, 2, true);
        TestClient second = connect(2, 3600);
        assertThat(second.payloads()).isEmpty();
        full(1, 2, false);
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
    }

    /** Its client may be on another shard than the one that has asked. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void a_page_that_was_on_its_way_when_a_link_broke_is_asked_for_again(long seed) {
        nodes = new LoopNodes(3, new SplittableRandom(seed));
        publisher = nodes.node(3).connect("p", true, 0);
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        first.cut();
        nodes.settle();
        publish(3);
        full(1, 2, true);
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        assertThat(second.payloads()).isEmpty();
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
    }

    @Test
    void a_message_that_goes_after_its_session_waits_for_room() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        connect(2, 3600);
        full(1, 2, true);
        publish(2);
        assertThat(acknowledged()).isZero();
        full(1, 2, false);
        assertThat(acknowledged()).isEqualTo(2);
    }

    @Test
    void what_waits_to_go_after_a_session_is_given_to_it_when_it_is_back() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        connect(2, 3600);
        full(1, 2, true);
        publish(2);
        assertThat(acknowledged()).isZero();
        TestClient back = connect(1, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        full(1, 2, false);
        publish(1);
        acknowledgeAll(back);
        assertThat(acknowledged()).isEqualTo(3);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3");
    }

    private long acknowledged() {
        return publisher.packets().stream().filter(Packet.Ack.class::isInstance).count();
    }

    @Test
    void a_transient_client_id_has_one_connection_in_the_cluster() {
        TestClient older = connect(1, 0);
        TestClient newer = connect(2, 0);
        assertThat(connAck(newer).sessionPresent()).isFalse();
        assertThat(reason(older)).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
    }

    @Test
    void of_connects_at_the_same_moment_one_stays() {
        TestClient[] all = new TestClient[3];
        for (int i = 0; i < 3; i++) {
            all[i] = nodes.node(i + 1).connect("s", false, 3600);
        }
        nodes.settle();
        int open = 0;
        for (TestClient each : all) {
            assertThat(connAck(each).code()).isZero();
            open += each.packets().stream().anyMatch(Packet.Disconnect.class::isInstance) ? 0 : 1;
        }
        assertThat(open).isEqualTo(1);
    }

    @Test
    void a_session_whose_home_is_down_waits_for_it() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        nodes.node(1).crash();
        nodes.settle();
        TestClient refused = connect(2, 3600);
        nodes.pass(2_000);
        assertThat(connAck(refused).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        nodes.node(1).restart();
        nodes.pass(500);
        TestClient again = connect(2, 3600);
        nodes.pass(500);
        assertThat(connAck(again).sessionPresent()).isTrue();
        publish(1);
        assertThat(again.payloads()).containsExactly("m1");
    }

    /** The node has died when the session was kept, and its earlier copy not yet dropped. */
    @Test
    void of_a_session_that_is_back_no_earlier_copy_is_left_after_a_restart() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        first.cut();
        nodes.settle();
        publish(3);
        connect(2, 3600).cut();
        nodes.settle();
        LoopNodes.One home = nodes.node(1);
        home.store.hold();
        connect(1, 3600);
        while (home.store.state().sessions() < 2 && home.store.outstanding() > 0) {
            home.store.end(1);
            nodes.settle();
        }
        assertThat(home.store.state().sessions()).isEqualTo(2);
        home.crash();
        home.restart();
        nodes.settle();
        assertThat(home.store.state().sessions()).isEqualTo(1);
        nodes.pass(5_000);
        TestClient back = connect(2, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        publish(1);
        acknowledgeAll(back);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3", "m4");
        nodes.pass(3_000);
        assertThat(home.store.state().sessions()).isZero();
        assertThat(home.store.state().rows()).isZero();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 35, 98})
    void whoever_moves_under_live_traffic_gets_everything_in_order_and_qos_2_once(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
    }

    /** What an earlier copy of it there has passed on goes before what comes to it directly. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {14, 18, 117})
    void a_session_that_comes_back_gets_its_messages_in_order(long seed) {
        MovingSessions.run(seed, false, false);
        Rules without = Rules.without(Rule.RETURN_ORDER);
        assertThatThrownBy(() -> MovingSessions.run(seed, false, false, false, false, without))
                .hasMessageContaining("came behind");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 76, 99})
    void the_same_while_nodes_die_and_links_break(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, true, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("steps with a dead node")).isGreaterThan(10);
        assertThat(counts.get("links broken")).isGreaterThan(3);
    }

    /** A message comes directly when its second way, round by the former home, is forgotten. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {8, 13, 20, 22, 28, 38, 45, 53, 59})
    void messages_that_are_slower_than_what_nodes_tell_each_other_come_once(long seed) {
        Map<String, Integer> counts =
                MovingSessions.run(seed, true, true, false, false, false, true, Rules.ALL);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("drains")).isGreaterThan(1);
    }

    /** Who was to have the session has died before it was there. */
    @Test
    void what_was_given_and_is_taken_back_loses_nothing() {
        MovingSessions.run(3138, true, true, false, true, Rules.ALL);
    }

    /** While a node is slow to hear of a message, a session comes back to it. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {105, 2002, 2032, 2053})
    void a_session_that_comes_back_has_the_order_of_the_node(long seed) {
        MovingSessions.run(seed, true, false);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {2017, 2032})
    void the_same_while_messages_are_slower_than_what_nodes_tell_each_other(long seed) {
        MovingSessions.run(seed, true, true, false, false, false, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nodes_leave_and_come_back_and_nothing_is_lost(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, true);
        assertThat(counts.get("drains")).isGreaterThan(1);
        assertThat(counts.get("drained")).isGreaterThan(0);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void subscribers_of_one_topic_get_everything_in_order_and_nothing_after_unsuback(long seed) {
        MovingSessions.run(seed, false, false, false, true, Rules.ALL);
        Map<String, Integer> counts = MovingSessions.run(seed, false, true, false, true, Rules.ALL);
        assertThat(counts.get("churned")).isGreaterThan(10);
        MovingSessions.run(seed, true, true, false, true, Rules.ALL);
    }

    @Test
    void what_comes_directly_would_overtake_what_comes_round() {
        MovingSessions.run(21, false, false, false, true, Rules.ALL);
        Rules without = Rules.without(Rule.ARRIVAL_ORDER);
        assertThatThrownBy(() -> MovingSessions.run(21, false, false, false, true, without))
                .hasMessageContaining("came behind");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {25, 26, 28})
    void a_former_home_passes_on_what_nobody_wants_any_more(long seed) {
        MovingSessions.run(seed, false, false, false, true, Rules.ALL);
        Rules without = Rules.without(Rule.ARRIVED_FILTERS);
        assertThatThrownBy(() -> MovingSessions.run(seed, false, false, false, true, without))
                .hasMessageContaining("was sent after UNSUBACK");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {8, 63, 85})
    void what_was_taken_at_one_node_comes_to_another_one_later(long seed) {
        MovingSessions.run(seed, false, false);
        Rules without = Rules.without(Rule.TAKEN_GOES_ALONG);
        assertThatThrownBy(() -> MovingSessions.run(seed, false, false, false, false, without))
                .hasMessageContaining("of QoS 1 came twice");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void the_same_of_members_of_a_shared_group(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, true, true, false, Rules.ALL);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        MovingSessions.run(seed, true, true, true, false, Rules.ALL);
    }
}
