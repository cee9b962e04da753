package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client that goes from node to node finds of its session, whose slot node 1 leads. */
class RoamingClientsTest extends RoamingFixture {
    private static ReasonCode reason(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Disconnect.class::isInstance)
                .map(packet -> ((Packet.Disconnect) packet).reason())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no DISCONNECT"));
    }

    @Test
    void client_finds_its_session_at_every_node_and_what_is_published_meanwhile_comes_once() {
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
        second.cut();
        nodes.settle();
        TestClient third = connect(3, 3600);
        assertThat(connAck(third).sessionPresent()).isTrue();
        publish(5);
        acknowledgeAll(third);
        assertThat(second.payloads()).hasSize(25).doesNotHaveDuplicates();
        assertThat(second.payloads()).startsWith("m1", "m2").endsWith("m24", "m25");
        assertThat(third.payloads()).containsExactly("m26", "m27", "m28", "m29", "m30");
        nodes.pass(8_000);
        assertThat(queuedBytes()).isZero();
        assertThat(nodes.node(1).store.state().sessions()).isEqualTo(1);
        assertThat(nodes.node(2).store.state().sessions()).isZero();
        assertThat(nodes.node(3).store.state().sessions()).isZero();
    }

    private void full(int from, int to, boolean isFull) {
        LoopLink link = nodes.node(from).linkTo(to);
        link.isFull = isFull;
        if (!isFull) {
            nodes.node(from).part().onRoom(link, TrafficClass.CONNECTIONS);
            nodes.settle();
        }
    }

    private TestClient subscribedAt2() {
        TestClient client = connect(2, 3600);
        client.subscribe(1, 1, "t");
        nodes.settle();
        return client;
    }

    @Test
    void messages_that_the_link_to_their_clients_node_has_no_room_for_come_when_it_has() {
        TestClient client = subscribedAt2();
        full(1, 2, true);
        publish(3);
        assertThat(client.payloads()).isEmpty();
        full(1, 2, false);
        assertThat(client.payloads()).containsExactly("m1", "m2", "m3");
    }

    /** The client's connection and its session may be on different shards. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void messages_that_were_on_their_way_when_a_link_broke_come_once_by_the_next_one(long seed) {
        nodes = new LoopNodes(3, new SplittableRandom(seed));
        publisher = nodes.node(3).connect("p", true, 0);
        TestClient client = subscribedAt2();
        full(1, 2, true);
        publish(3);
        assertThat(client.payloads()).isEmpty();
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
        publish(1);
        assertThat(client.isClosed()).isFalse();
        assertThat(client.payloads()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void publish_that_its_clients_link_has_no_room_for_is_acknowledged_when_it_has() {
        TestClient subscriber = nodes.node(3).client("other", 0);
        subscriber.subscribe(1, 1, "t");
        nodes.settle();
        publisher = connect(2, 3600);
        full(2, 1, true);
        publish(2);
        assertThat(acknowledged()).isZero();
        full(2, 1, false);
        assertThat(acknowledged()).isEqualTo(2);
        assertThat(subscriber.payloads()).containsExactly("m1", "m2");
    }

    @Test
    void client_that_unsubscribes_at_one_node_gets_nothing_more_at_another_one() {
        TestClient first = subscribedAt2();
        publish(1);
        acknowledgeAll(first);
        first.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        nodes.settle();
        publish(1);
        TestClient second = connect(3, 3600);
        publish(1);
        assertThat(second.payloads()).isEmpty();
        second.subscribe(3, 1, "t");
        nodes.settle();
        publish(1);
        acknowledgeAll(second);
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.pass(500);
        TestClient third = connect(2, 3600);
        publish(1);
        assertThat(first.payloads()).containsExactly("m1");
        assertThat(second.payloads()).containsExactly("m4");
        assertThat(third.payloads()).containsExactly("m5");
    }

    @Test
    void live_message_that_keeps_its_retain_flag_comes_once() {
        TestClient client = connect(2, 3600);
        Packet.Subscription retains =
                new Packet.Subscription(TopicFilter.of("t"), 1, false, true, 0);
        client.send(new Packet.Subscribe(1, List.of(retains), Properties.NONE));
        nodes.settle();
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"), 1, false, true, 1, Properties.NONE, new byte[] {'r'}));
        nodes.pass(1_500);
        assertThat(client.payloads()).containsExactly("r");
    }

    @Test
    void a_transient_client_id_has_one_connection_in_the_cluster() {
        TestClient older = connect(1, 0);
        TestClient newer = connect(2, 0);
        assertThat(connAck(newer).sessionPresent()).isFalse();
        assertThat(reason(older)).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
    }

    @Test
    void one_of_several_connects_at_the_same_moment_stays() {
        TestClient[] all = new TestClient[3];
        for (int i = 0; i < 3; i++) {
            all[i] = nodes.node(i + 1).connectAs(clientId(), false, 3600);
        }
        nodes.settle();
        int open = 0;
        for (TestClient each : all) {
            if (each.isClosed() && each.packets().isEmpty()) {
                continue; // A newer one has come before its CONNACK.
            }
            assertThat(connAck(each).code()).isZero();
            assertThat(each.isClosed())
                    .isEqualTo(
                            each.packets().stream().anyMatch(Packet.Disconnect.class::isInstance));
            open += each.isClosed() ? 0 : 1;
        }
        assertThat(open).isEqualTo(1);
    }

    @Test
    void client_whose_slot_has_no_live_leader_is_refused_after_claim_wait() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        nodes.node(1).crash();
        nodes.settle();
        TestClient refused = connect(2, 3600);
        nodes.pass(9_000);
        assertThat(refused.packets()).isEmpty();
        nodes.pass(1_500);
        assertThat(connAck(refused).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
    }

    @Test
    void client_that_waits_for_the_leader_of_its_slot_goes_on_when_it_is_back() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        nodes.node(1).crash();
        nodes.settle();
        TestClient again = connect(2, 3600);
        nodes.pass(5_000);
        nodes.node(1).restart();
        nodes.pass(500);
        assertThat(connAck(again).sessionPresent()).isTrue();
        publish(1);
        assertThat(again.payloads()).containsExactly("m1");
    }

    @Test
    void client_gets_what_waits_in_its_session_at_another_node_after_the_leader_started_anew() {
        TestClient first = subscribedAt2();
        publish(1);
        acknowledgeAll(first);
        publish(2);
        nodes.node(1).crash();
        nodes.settle();
        nodes.node(1).restart();
        nodes.pass(500);
        TestClient second = connect(3, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        publish(1);
        assertThat(second.payloads()).containsExactly("m2", "m3", "m4");
    }
}
