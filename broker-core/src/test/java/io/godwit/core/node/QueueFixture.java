package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/**
 * A node whose store turns entries into rows when the test says so, a durable subscriber {@code s}
 * to topic {@code t}, and a publisher of messages {@code m1}, {@code m2} and so on.
 */
abstract class QueueFixture {
    static final int PAGE = 4;

    RowStore store;
    TestNode node;
    TestClient publisher;
    int published;

    final void node(QueueSettings queues) {
        store = new RowStore();
        node =
                new TestNode(
                        2,
                        MqttSettings.DEFAULTS,
                        LimitSettings.DEFAULTS,
                        queues,
                        OverloadSettings.DEFAULTS,
                        store);
        publisher = node.client(0, "p");
        published = 0;
    }

    static QueueSettings queues(long messages, QueuePolicy policy) {
        return new QueueSettings(messages, 1 << 20, policy, 1_000, 1 << 20, PAGE);
    }

    @BeforeEach
    void aNode() {
        node(queues(1_000, QueuePolicy.DISCARD_NEWEST));
    }

    TestClient connect(int shard, int receiveMaximum) {
        return node.client(shard, "s", 3600, receiveMaximum);
    }

    /** A durable subscriber that is offline. */
    Session offline() {
        TestClient subscriber = connect(1, 0);
        subscriber.subscribe(1, 2, "t");
        node.settle();
        subscriber.cut();
        node.settle();
        return node.session("s");
    }

    void publish(int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish("t", 1, 1, "m" + ++published);
            node.settle();
        }
    }

    void rows() {
        store.rows();
        node.settle();
    }

    void answer() {
        store.answer();
        node.settle();
    }

    static List<String> messages(int from, int to) {
        List<String> all = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            all.add("m" + i);
        }
        return all;
    }

    /** Acknowledges whatever is in flight until nothing more comes. */
    void acknowledgeAll(TestClient client) {
        int done = 0;
        while (true) {
            List<Packet.Publish> came =
                    client.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(Packet.Publish.class::cast)
                            .toList();
            if (done == came.size()) {
                return;
            }
            for (; done < came.size(); done++) {
                client.ack(PacketType.PUBACK, came.get(done).packetId());
            }
            node.settle();
        }
    }

    void assertNothingIsLeft() {
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        assertThat(node.keptMessages()).isZero();
        assertThat(node.keptBytes()).isZero();
        Session session = node.session("s");
        assertThat(session.queue().inFlightBytes()).isZero();
        rows();
        assertThat(store.queue(session.queueId())).isEmpty();
        assertThat(session.queue().isEmpty()).isTrue();
    }

    SessionInfo info() {
        return SessionInfo.of(node.session("s"), 10);
    }
}
