package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A crash between the commit of a packet id and the one of the entry's removal: the mark is there
 * like those of all entries that were sent after it, so that all are sent again in order.
 */
class MarksOfRemovedTest {
    private StoreFixture store = new StoreFixture();

    private Entry append(String text) {
        return store.append(0, queue(1), store.message(text));
    }

    private void send(Entry entry, int packetId) {
        entry.packetId = packetId;
        store.shard(0).inFlight(entry);
    }

    private List<String> inFlight() {
        return store.read(queue(1), RowRead.Section.IN_FLIGHT).entries.stream()
                .map(each -> each.text() + " " + each.packetId)
                .toList();
    }

    /** Both are sent; one is acknowledged before the commit is written, in the next. */
    private void assertBothMarkedAfterCrash(Entry first, Entry second) {
        send(first, 1);
        send(second, 2);
        store.shard(0).commit();
        store.shard(0).remove(first);
        store.time.pass(2);
        store = store.afterCrash();
        assertThat(inFlight()).containsExactly("a 1", "b 2");
        assertThat(store.texts(queue(1))).isEmpty();
    }

    @Test
    void of_entries_in_the_journal() {
        store.connect(0, 1);
        Entry first = append("a");
        Entry second = append("b");
        store.commit();
        assertBothMarkedAfterCrash(first, second);
    }

    @Test
    void of_entries_that_are_rows() {
        store.connect(0, 1);
        append("a");
        append("b");
        store.commit();
        store.materialise();
        List<Entry> rows = store.read(queue(1), RowRead.Section.IDLE).entries;
        assertBothMarkedAfterCrash(rows.get(0), rows.get(1));
    }

    /** Neither the append nor the mark of an entry that ends before its commit is written. */
    @Test
    void but_not_of_one_that_was_removed_before_it_was_written() {
        store.connect(0, 1);
        store.commit();
        long cancelled = store.store.value(StoreMetric.CANCELLED);
        Entry only = append("a");
        store.shard(0).commit();
        send(only, 1);
        store.shard(0).commit();
        store.shard(0).remove(only);
        store.shard(0).commit();
        store.time.pass(2);
        assertThat(store.store.value(StoreMetric.CANCELLED) - cancelled).isEqualTo(3);
        store = store.afterCrash();
        assertThat(inFlight()).isEmpty();
    }
}
