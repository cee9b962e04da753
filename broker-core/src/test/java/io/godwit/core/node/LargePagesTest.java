package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Large messages that many clients come back for are read as far as there is memory. */
class LargePagesTest {
    private static final int CLIENTS = 20;
    private static final int MESSAGE = 1 << 20;
    private static final long MEMORY = 4L * MESSAGE;

    private final RowStore store = new RowStore();
    private final TestNode node =
            new TestNode(
                    2,
                    MqttSettings.DEFAULTS,
                    LimitSettings.DEFAULTS,
                    QueueSettings.DEFAULTS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, 1 << 20, 1000),
                    store);

    private TestClient connect(int i) {
        return node.client(i % 2, "c" + i, 3600, 1);
    }

    /** Two messages of its own wait for each client, as rows. */
    private void publish() {
        for (int i = 0; i < CLIENTS; i++) {
            TestClient client = connect(i);
            client.subscribe(1, 1, "t/" + i);
            node.settle();
            client.cut();
            node.settle();
        }
        TestClient publisher = node.client(0, "p");
        for (int i = 0; i < 2 * CLIENTS; i++) {
            publisher.publish("t/" + i % CLIENTS, 1, 1, false, new byte[MESSAGE]);
            node.settle();
            store.rows();
            node.tick(100);
        }
        publisher.cut();
        node.settle();
        assertThat(node.keptMessages()).isEqualTo(2 * CLIENTS);
        assertThat(node.queuedBytes()).isZero();
    }

    private long inMemory() {
        return node.queuedBytes() + node.inFlightBytes();
    }

    @Test
    void they_wait_for_the_alarm_to_end_and_all_are_delivered() {
        publish();
        store.holdReads();
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(connect(i));
        }
        assertThat(store.readsWaiting()).as("of pages").isBetween(2, (int) (MEMORY / MESSAGE));
        store.answerAll();
        node.settle();
        node.tick(100);
        assertThat(node.shards[0].load().isMemoryAlarm()).isTrue();
        assertThat(inMemory()).isLessThan(MEMORY + 2 * MESSAGE);

        int rounds = 0;
        while (node.keptMessages() > 0 || inMemory() > 0) {
            for (TestClient client : clients) {
                List<Packet> got = client.packets();
                if (!got.isEmpty() && got.getLast() instanceof Packet.Publish last) {
                    client.ack(PacketType.PUBACK, last.packetId());
                    got.clear();
                }
            }
            node.tick(100);
            assertThat(inMemory()).isLessThan(MEMORY + 2 * MESSAGE);
            assertThat(rounds++).isLessThan(200);
        }
    }

    /** An earlier start has left a message in flight to each client, and a small one behind it. */
    private void restart() {
        for (int i = 0; i < CLIENTS; i++) {
            TestClient client = connect(i);
            node.settle();
            client.cut();
            node.settle();
            Session session = node.session("c" + i);
            for (int id = 1; id <= 2; id++) {
                Message message =
                        new Message(
                                Topic.of("t"),
                                new byte[id == 1 ? MESSAGE : 10],
                                new byte[0],
                                1,
                                false,
                                Message.NEVER,
                                null,
                                1,
                                2 * i + id);
                store.put(
                        new QueueEntry(session.queueId(), id, message, 1, false, new int[0], null),
                        id,
                        false);
            }
            node.change(session, queue -> queue.restore(store.depth(session.queueId()), List.of()));
        }
    }

    @Test
    void so_do_those_that_an_earlier_start_has_left_in_flight() {
        restart();
        store.holdReads();
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(connect(i));
        }
        for (int i = 0; i < CLIENTS; i++) {
            store.answer(); // The first pages end before what is large.
        }
        node.settle();
        assertThat(inMemory()).isZero();
        assertThat(store.readsWaiting()).as("of pages").isBetween(2, (int) (MEMORY / MESSAGE));

        int rounds = 0;
        int got = 0;
        while (got < 2 * CLIENTS) {
            store.answerAll();
            node.settle();
            node.tick(100);
            assertThat(inMemory()).isLessThan(MEMORY + 2 * MESSAGE);
            for (TestClient client : clients) {
                for (Packet packet : List.copyOf(client.packets())) {
                    if (packet instanceof Packet.Publish publish) {
                        got++;
                        client.ack(PacketType.PUBACK, publish.packetId());
                    }
                }
                client.packets().clear();
            }
            assertThat(rounds++).isLessThan(400);
        }
        node.settle();
        assertThat(inMemory()).isZero();
    }

    @Test
    void one_that_nobody_wants_any_more_keeps_nobody_waiting() {
        publish();
        store.holdReads();
        for (int i = 0; i < CLIENTS - 1; i++) {
            connect(i).cut();
            node.settle();
        }
        store.answerAll();
        node.settle();
        node.tick(100);
        assertThat(inMemory()).isZero();
        assertThat(connect(CLIENTS - 1).count(PacketType.PUBLISH)).isEqualTo(1);
    }
}
