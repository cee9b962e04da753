package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a cluster connect where they like, and find their sessions there. */
@Disabled("needs remote connections")
class MovingSessionsTest extends MovingFixture {
    private static ReasonCode reason(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Disconnect.class::isInstance)
                .map(packet -> ((Packet.Disconnect) packet).reason())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no DISCONNECT"));
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

    private void full(int from, int to, boolean isFull) {
        LoopLink link = nodes.node(from).linkTo(to);
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
}
