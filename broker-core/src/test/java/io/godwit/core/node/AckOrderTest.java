package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In which order acknowledgements leave after a reconnect [MQTT-4.6.0-3, -4]. */
class AckOrderTest {
    private final HeldStore store = new HeldStore();
    private final TestNode node = new TestNode(2, store);

    private TestClient durable(int shard, String clientId, ProtocolVersion version) {
        TestClient client = node.open(shard, version);
        client.connect(clientId, false, 3600, 0);
        node.settle();
        return client;
    }

    @Nested
    class PubRel {
        @SuppressWarnings("NullAway.Init") // set by inFlight()
        private TestClient before;

        @SuppressWarnings("NullAway.Init") // set by inFlight()
        private List<Integer> ids;

        /** A subscriber has four messages of QoS 2 in flight. */
        private void inFlight(ProtocolVersion version) {
            before = durable(1, "s", version);
            before.subscribe(1, 2, "a");
            TestClient publisher = node.client(0, "p");
            for (int i = 1; i <= 4; i++) {
                publisher.publish("a", 2, i, "m" + i);
            }
            node.settle();
            assertThat(before.payloads()).containsExactly("m1", "m2", "m3", "m4");
            ids =
                    before.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(p -> ((Packet.Publish) p).packetId())
                            .toList();
        }

        private void received(int number) {
            before.ack(PacketType.PUBREC, ids.get(number - 1));
            node.settle();
        }

        @ParameterizedTest
        @EnumSource
        void keeps_the_order_of_the_pubrecs(ProtocolVersion version) {
            inFlight(version);
            received(3);
            received(1);
            received(4);
            before.cut();
            for (int shard = 1; shard >= 0; shard--) { // Where it was, and elsewhere.
                TestClient again = durable(shard, "s", version);
                assertThat(again.payloads()).containsExactly("m2");
                assertThat(again.acks(PacketType.PUBREL))
                        .containsExactly(ids.get(2), ids.get(0), ids.get(3));
                again.cut();
            }
        }

        @ParameterizedTest
        @EnumSource
        void keeps_the_order_of_the_pubrecs_that_are_left(ProtocolVersion version) {
            inFlight(version);
            received(4);
            received(3);
            received(2);
            received(3); // Sent twice; the first counts.
            before.ack(PacketType.PUBCOMP, ids.get(3));
            before.cut();
            TestClient again = durable(1, "s", version);
            assertThat(again.acks(PacketType.PUBREL)).containsExactly(ids.get(2), ids.get(1));
            again.ack(PacketType.PUBREC, ids.get(0));
            node.settle();
            assertThat(again.acks(PacketType.PUBREL))
                    .containsExactly(ids.get(2), ids.get(1), ids.get(0));
            for (int id : List.of(ids.get(1), ids.get(2), ids.get(0))) {
                again.ack(PacketType.PUBCOMP, id);
            }
            node.settle();
            assertThat(node.session("s").inFlightCount()).isZero();
        }
    }

    @Nested
    class PubRec {
        /**
         * The first waits for a subscriber's append, which is not kept; the second, to nobody, is
         * done. Both come again on another connection.
         */
        @ParameterizedTest
        @EnumSource
        void of_what_comes_again_keeps_the_order_of_the_publishes(ProtocolVersion version) {
            TestClient subscriber = durable(1, "s", version);
            subscriber.subscribe(1, 2, "a");
            node.settle();
            subscriber.cut();
            node.settle();
            TestClient first = durable(0, "p", version);
            store.hold();
            first.publish("a", 2, 1, "x");
            node.settle();
            store.releaseOf(0);
            first.publish("b", 2, 2, "y");
            node.settle();
            store.releaseOf(0);
            node.settle();
            assertThat(first.acks(PacketType.PUBREC)).isEmpty();
            first.cut();
            node.settle();

            TestClient again = durable(0, "p", version);
            store.releaseOf(0);
            node.settle();
            again.publish("a", 2, 1, "x");
            again.publish("b", 2, 2, "y");
            node.settle();
            assertThat(again.acks(PacketType.PUBREC)).isEmpty();
            store.release();
            node.settle();
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(1, 2);
        }
    }
}
