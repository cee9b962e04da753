package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is sent in the turn in which it comes: its append says its packet id. */
class SentAtOnceTest {
    private StoreFixture store = new StoreFixture();

    private Entry send(String text, int packetId) {
        return send(store.append(0, queue(1), store.message(text)), packetId);
    }

    private Entry send(Entry entry, int packetId) {
        entry.packetId = packetId;
        store.shard(0).inFlight(entry);
        return entry;
    }

    private List<String> inFlight() {
        return store.read(queue(1), RowRead.Section.IN_FLIGHT).entries.stream()
                .map(each -> each.text() + " " + each.packetId)
                .toList();
    }

    private void assertInFlightAfterStart(String... entries) {
        store = store.afterCrash();
        assertThat(inFlight()).containsExactly(entries);
        QueueDepth depth = store.recovered.session(queue(1)).queue();
        assertThat(depth).isNotNull();
        assertThat(depth.inFlight()).isEqualTo(entries.length);
        assertThat(depth.idle()).isZero();
    }

    @Test
    void it_is_in_flight_after_a_power_cut_with_its_row_and_without() {
        store.connect(0, 1);
        send("a", 300);
        Entry two = store.append(0, queue(1), store.message("b"));
        store.remember(0, two);
        send(two, 1);
        store.commit();
        assertInFlightAfterStart("a 300", "b 1");

        send("c", 2);
        store.commit();
        store.materialise();
        assertThat(inFlight()).containsExactly("a 300", "b 1", "c 2");
        assertInFlightAfterStart("a 300", "b 1", "c 2");
    }

    /** Of one message that goes to many, all appends but the first refer to it. */
    @Test
    void so_is_each_of_many_that_have_one_message() {
        Message message = store.message("to many");
        for (int number = 1; number <= 3; number++) {
            store.connect(0, number);
            send(store.append(0, queue(number), message), number);
        }
        send("another", 9);
        send(store.append(0, queue(1), message), 10);
        store.commit();
        store = store.afterCrash();
        assertThat(inFlight()).containsExactly("to many 1", "another 9", "to many 10");
        for (int number = 2; number <= 3; number++) {
            List<Entry> entries = store.read(queue(number), RowRead.Section.IN_FLIGHT).entries;
            assertThat(entries).extracting(each -> each.packetId).containsExactly(number);
        }
    }

    @Test
    void one_that_is_given_another_packet_id_has_the_last() {
        store.connect(0, 1);
        Entry entry = send("a", 1);
        send(entry, 2);
        store.commit();
        assertInFlightAfterStart("a 2");
    }

    @Test
    void one_that_got_its_packet_id_behind_something_else_keeps_its_place() {
        store.connect(0, 1);
        Entry first = send("a", 1);
        Entry second = store.append(0, queue(1), store.message("b"));
        store.shard(0).remove(first);
        send(second, 1);
        store.commit();
        assertInFlightAfterStart("b 1");
    }

    @Test
    void a_message_is_two_operations_and_four_bytes_less_than_with_three() {
        double bytes = bytesOfAMessage();
        assertThat(store.store.value(StoreMetric.CANCELLED)).isZero();
        store = new StoreFixture();
        store.store.ship((position, set, body) -> {});
        assertThat(bytesOfAMessage() - bytes).isBetween(3.9, 4.1);
    }

    /** A hundred clients get one in each turn, and acknowledge it in the turn after. */
    private double bytesOfAMessage() {
        String text = "x".repeat(100);
        int messages = 0;
        List<Entry> before = List.of();
        for (int turn = 0; turn < 20; turn++) {
            List<Entry> sent = new ArrayList<>();
            for (int number = 1; number <= 100; number++) {
                Entry entry = store.append(0, queue(number), store.message(text));
                sent.add(send(entry, 200 + turn));
                messages++;
            }
            before.forEach(store.shard(0)::remove);
            store.commit();
            before = sent;
        }
        before.forEach(store.shard(0)::remove);
        store.commit();
        assertThat(store.store.value(StoreMetric.OPERATIONS)).isEqualTo(2L * messages);
        return store.store.value(StoreMetric.JOURNAL_BYTES) / (double) messages;
    }

    @Test
    void what_goes_to_other_nodes_says_it_as_the_oldest_of_them_knows_it() {
        List<byte[]> parts = new ArrayList<>();
        store.store.ship((position, set, body) -> parts.add(body));
        store.connect(0, 1);
        store.commit();
        parts.clear();
        send("a", 300);
        store.commit();
        assertThat(parts).hasSize(1);
        PartDecoder in = new PartDecoder(parts.get(0), 0, parts.get(0).length);
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.APPEND);
        assertThat(in.packetId).isZero();
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.IN_FLIGHT);
        assertThat(in.packetId).isEqualTo(300);
        assertThat(in.next()).isFalse();
        assertInFlightAfterStart("a 300");
    }
}
