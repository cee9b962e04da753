package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.MemoryStore;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clients of a node that leaves are sent away a few at a time. */
class SendingAwayTest {
    private static final long MOST_MS = 5_000;

    private final TestNode node = new TestNode(1, new MemoryStore());
    private final AtomicBoolean isOver = new AtomicBoolean();

    private List<TestClient> clients(int count, long expirySeconds) {
        return IntStream.range(0, count)
                .mapToObj(i -> node.client(0, expirySeconds + "c" + i, expirySeconds, 0))
                .toList();
    }

    private void leave() {
        node.broker.sendElsewhere("", MOST_MS, () -> isOver.set(true));
        node.settle();
    }

    private static long gone(List<TestClient> clients) {
        return clients.stream().filter(each -> each.wire.isClosed()).count();
    }

    private void ticks(int count) {
        for (int i = 0; i < count; i++) {
            node.tick(100);
        }
    }

    @Test
    void clients_of_durable_sessions_go_some_with_each_tick() {
        List<TestClient> clients = clients(50, 60);
        leave();
        assertThat(gone(clients)).isEqualTo(16);
        ticks(1);
        assertThat(gone(clients)).isEqualTo(32);
        ticks(2);
        assertThat(gone(clients)).isEqualTo(50);
        assertThat(isOver).isTrue();
    }

    @Test
    void many_clients_of_durable_sessions_go_evenly_within_the_time() {
        List<TestClient> clients = clients(1_200, 60);
        leave();
        assertThat(gone(clients)).isEqualTo(24);
        ticks(24);
        assertThat(gone(clients)).isEqualTo(600);
        ticks(25);
        assertThat(gone(clients)).isEqualTo(1_200);
    }

    @Test
    void clients_of_durable_sessions_all_go_when_the_time_is_over() {
        List<TestClient> clients = clients(1_200, 60);
        leave();
        node.tick(MOST_MS);
        assertThat(gone(clients)).isEqualTo(1_200);
        assertThat(isOver).isTrue();
    }

    @Test
    void sessions_without_a_client_take_no_time() {
        List<TestClient> online = clients(3, 60);
        Packet goes = new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE);
        clients(2_000, 120).forEach(each -> each.send(goes));
        node.settle();
        leave();
        assertThat(gone(online)).isEqualTo(3);
        assertThat(isOver).isTrue();
    }

    @Test
    void transient_sessions_end_at_once() {
        List<TestClient> durable = clients(50, 60);
        List<TestClient> others = clients(50, 0);
        leave();
        assertThat(gone(others)).isEqualTo(50);
        assertThat(gone(durable)).isEqualTo(16);
    }

    @Test
    void clients_of_a_node_that_was_taken_over_from_are_closed_and_may_come_again_at_once() {
        List<TestClient> clients = clients(1_200, 60);
        node.broker.closeClients(new BitSet());
        node.settle();
        assertThat(gone(clients)).isEqualTo(1_200);
        assertThat(clients.getFirst().packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        each ->
                                assertThat(each.reason())
                                        .isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN));
        TestClient again = node.client(0, "60c0", 60, 0);
        node.settle();
        assertThat(again.wire.isClosed()).isFalse();
        assertThat(again.packets().getFirst())
                .isInstanceOfSatisfying(
                        Packet.ConnAck.class, each -> assertThat(each.sessionPresent()).isTrue());
    }

    @Test
    void client_that_waits_for_its_connack_is_refused_with_a_reason_that_connack_has() {
        HeldStore store = new HeldStore();
        TestNode held = new TestNode(1, store);
        store.hold();
        TestClient client = held.open(0, ProtocolVersion.MQTT_5);
        client.connect("c", false, 60, 0);
        held.settle();
        held.broker.closeClients(new BitSet());
        held.settle();
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(client.packets().getFirst())
                .isInstanceOfSatisfying(
                        Packet.ConnAck.class,
                        each ->
                                assertThat(each.code())
                                        .isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code()));
    }
}
