package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.store.MemoryStore;
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

    @Test
    void the_next_goes_when_one_has_arrived() {
        List<TestClient> clients = clients(50, 60);
        leave();
        assertThat(gone(clients)).isEqualTo(16);

        // It is back, which is as good as elsewhere: its session does not wait any more.
        TestClient first = clients.stream().filter(each -> each.wire.isClosed()).findAny().get();
        TestClient again = node.open(0, ProtocolVersion.MQTT_5);
        again.connect("60c" + clients.indexOf(first), false, 60, 0);
        node.settle();
        node.tick(100);
        assertThat(gone(clients)).isEqualTo(17);
        assertThat(isOver).isFalse();
    }

    @Test
    void who_comes_nowhere_is_not_waited_for() {
        List<TestClient> clients = clients(50, 60);
        leave();
        node.tick(400);
        assertThat(gone(clients)).isEqualTo(16);
        node.tick(100);
        assertThat(gone(clients)).isEqualTo(32);
        node.tick(500);
        assertThat(gone(clients)).isEqualTo(48);
        node.tick(500);
        assertThat(gone(clients)).isEqualTo(50);
        assertThat(isOver).isTrue();
    }

    @Test
    void all_go_when_the_time_is_over() {
        List<TestClient> clients = clients(1_200, 60);
        leave();
        node.tick(MOST_MS - 100);
        assertThat(gone(clients)).isLessThan(1_000);
        node.tick(100);
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
}
