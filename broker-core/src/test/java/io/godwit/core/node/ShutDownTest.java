package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.Goodbye;
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
        left.farewell().disconnectAll(() -> done[0] = true);
        TestClient newer = node.open(0, ProtocolVersion.MQTT_5);
        newer.connect("a", false, 3600, 0);
        node.settle();

        assertThat(done[0]).isTrue();
        assertThat(old.wire.isClosed()).isTrue();
        assertThat(connAck(newer).sessionPresent()).isTrue();
        assertThat(newer.wire.isClosed()).isFalse();
    }

    /** Request Problem Information limits Reason String and User Property only [MQTT-3.1.2-29]. */
    @Test
    void where_to_go_is_said_to_clients_that_want_no_problem_information() {
        assertThat(sentElsewhere(Property.REQUEST_PROBLEM_INFORMATION, 0))
                .isEqualTo(Goodbye.useAnother("other:1883").packet());
    }

    @Test
    void where_to_go_gives_way_to_the_maximum_packet_size() {
        int length = 2 + 1 + 1 + 3 + "other:1883".length();
        assertThat(sentElsewhere(Property.MAXIMUM_PACKET_SIZE, length))
                .isEqualTo(Goodbye.useAnother("other:1883").packet());
        assertThat(sentElsewhere(Property.MAXIMUM_PACKET_SIZE, length - 1))
                .isEqualTo(Goodbye.useAnother("").packet());
    }

    /** The last packet of a client that connected with this property. */
    private Packet sentElsewhere(Property property, long value) {
        TestNode leaving = new TestNode(2, new MemoryStore());
        TestClient client = leaving.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("a"),
                        true,
                        60,
                        null,
                        null,
                        null,
                        false,
                        Properties.builder().add(property, value).build()));
        leaving.settle();
        leaving.broker.sendElsewhere("other:1883", 1_000, () -> {});
        leaving.settle();
        assertThat(client.wire.isClosed()).isTrue();
        return client.packets().getLast();
    }
}
