package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.MemoryStore;
import org.junit.jupiter.api.Test;

/** Clients come while the broker stops. */
class ShutDownTest {
    private final TestNode node = new TestNode(2, new MemoryStore());

    @Test
    void a_session_that_has_gone_to_another_shard_meanwhile_is_left_alone() {
        TestClient old = node.client(1, "a", 3600, 0);
        BrokerShard left = node.shards[1];
        boolean[] done = new boolean[1];
        left.sessions().walk(session -> {}, () -> {}); // Slices run in turn: it goes first.
        left.disconnectAll(() -> done[0] = true);
        TestClient newer = node.open(0, ProtocolVersion.MQTT_5);
        newer.connect("a", false, 3600, 0);
        node.settle();

        assertThat(done[0]).isTrue();
        assertThat(old.wire.isClosed()).isTrue();
        assertThat(connAck(newer).sessionPresent()).isTrue();
        assertThat(newer.wire.isClosed()).isFalse();
    }
}
