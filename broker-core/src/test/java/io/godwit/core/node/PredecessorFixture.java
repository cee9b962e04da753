package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A queue with a frozen predecessor, which has {@code p1}, {@code p2} and so on in rows. */
abstract class PredecessorFixture extends QueueFixture {
    static final long BEFORE = 999;

    /** Above those of the queue that comes after it: the order is not that of the ids alone. */
    static final long ID_BASE = 1L << 60;

    RowStore.Row row(int number, int qos, int packetId, boolean idle) {
        Message message =
                new Message(
                        Topic.of("t"),
                        ("p" + number).getBytes(StandardCharsets.UTF_8),
                        new byte[0],
                        qos,
                        false,
                        Message.NEVER,
                        null,
                        1,
                        number);
        return store.put(
                new QueueEntry(BEFORE, ID_BASE + number, message, qos, false, new int[0], null),
                packetId,
                idle);
    }

    void waiting(int from, int to) {
        for (int number = from; number <= to; number++) {
            row(number, 1, 0, true);
        }
    }

    /** An offline session whose own queue has rows, if any, and gets the predecessor. */
    Session preceded(int own) {
        Session session = offline();
        publish(own);
        rows();
        node.change(
                session,
                queue -> {
                    queue.precededBy(store.depth(BEFORE), List.of());
                });
        return session;
    }

    static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    void assertGivenUp() {
        assertThat(store.forgotten).containsExactly(BEFORE);
        rows();
        assertThat(store.queue(BEFORE)).isEmpty();
        assertNothingIsLeft();
        assertThat(info().queued()).isZero();
        assertThat(info().inFlight()).isZero();
    }

    static List<String> inOrder(int before, int own) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= before; i++) {
            all.add("p" + i);
        }
        all.addAll(messages(1, own));
        return all;
    }
}
