package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.List;

/** A broker whose store confirms nothing while it is held. */
final class HeldFixture {
    final HeldStore store = new HeldStore();

    /** Two shards: subscribers live on the second, publishers on the first. */
    final TestNode node = new TestNode(2, store);

    TestClient durable(int shard, String clientId, ProtocolVersion version) {
        TestClient client = node.open(shard, version);
        client.connect(clientId, false, 3600, 0);
        node.settle();
        return client;
    }

    void release() {
        store.release();
        node.settle();
    }

    void fail() {
        assertThat(store.outstanding()).isPositive();
        store.fail();
        node.settle();
    }

    static <T extends Packet> T only(TestClient client, Class<T> type) {
        List<T> found = client.packets().stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** Asserts that the client sees the broker's store fail: 5.0 is told, 3.x only closed. */
    static void assertClosedByFailure(TestClient client, ProtocolVersion version) {
        if (version.isV5()) {
            assertThat(only(client, Packet.Disconnect.class).reason())
                    .isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        } else {
            assertThat(client.count(PacketType.DISCONNECT)).isZero();
        }
        assertThat(client.wire.isClosed()).isTrue();
    }
}
