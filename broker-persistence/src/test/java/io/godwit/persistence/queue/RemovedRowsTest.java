package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.Op;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What the window keeps of the removals of rows that were read back. */
class RemovedRowsTest {
    private static final long QUEUE = 1L << 40;

    private final OpList list = new OpList(null, 0, 4);
    private final JournalEntry record = new JournalEntry(1, 0);

    @Test
    void of_rows_that_are_as_they_were_read_no_entry_is_kept() throws DiskFailure {
        remove(read(QUEUE, 900, 3));
        remove(read(QUEUE, 300, 3));
        remove(read(QUEUE + 1, 400, 3));
        remove(read(QUEUE + 1, 500, 4));

        arrive();

        assertThat(list.size()).isEqualTo(3);
        assertThat(rows(0)).containsExactly(QUEUE + " 900:3", QUEUE + " 300:3");
        assertThat(rows(1)).containsExactly((QUEUE + 1) + " 400:3");
        assertThat(rows(2)).containsExactly((QUEUE + 1) + " 500:4");
    }

    @Test
    void of_one_that_was_sent_meanwhile_nothing_is_kept_either() throws DiskFailure {
        QueuedMessage sent = read(QUEUE, 2, 3);
        list.add(Op.IN_FLIGHT, sent, 5, 0);
        remove(read(QUEUE, 1, 3));
        remove(sent);

        arrive();
        assertThat(list.size()).isEqualTo(2);
        assertThat(rows(1)).containsExactly(QUEUE + " 1:3", QUEUE + " 2:3");
        Thinning.thin(record);

        assertThat(list.size()).isEqualTo(1);
        assertThat(rows(0)).containsExactly(QUEUE + " 1:3", QUEUE + " 2:3");
    }

    @Test
    void one_whose_row_was_moved_meanwhile_keeps_its_entry() throws DiskFailure {
        QueuedMessage sent = read(QUEUE, 2, 3);
        note(sent).place = RowNote.MARKED;
        remove(read(QUEUE, 1, 3));
        remove(sent);
        remove(read(QUEUE, 4, 3));

        arrive();

        assertThat(list.size()).isEqualTo(3);
        assertThat(rows(0)).containsExactly(QUEUE + " 1:3");
        assertThat(list.subject(1)).isSameAs(sent);
        assertThat(Thinning.isVoid(sent)).isFalse();
        assertThat(rows(2)).containsExactly(QUEUE + " 4:3");
    }

    @Test
    void one_that_takes_more_than_its_row_along_keeps_its_entry() {
        QueuedMessage shares = read(QUEUE, 2, 3);
        note(shares).isReference = true;
        remove(shares);

        arrive();

        assertThat(list.subject(0)).isSameAs(shares);
    }

    @Test
    void each_counts_as_an_operation() {
        remove(read(QUEUE, 900, 3));
        remove(read(QUEUE, 300, 3));
        record.ops = 2;
        record.bytes = 128;
        arrive();

        Thinning.thin(record);

        assertThat(record.ops).isEqualTo(2);
        assertThat(record.bytes).isBetween(65L, 80L);
    }

    private static RowNote note(QueuedMessage entry) {
        return (RowNote) Objects.requireNonNull(entry.note);
    }

    private static QueuedMessage read(long queueId, long clock, int server) {
        RowNote note = RowNote.idle(64);
        note.readBack();
        return KeptEntry.row(queueId, clock, server, null, 1, false, new int[0], note);
    }

    private void remove(QueuedMessage entry) {
        list.add(Op.REMOVE, entry, 0, 0);
    }

    private void arrive() {
        record.lists.add(list);
        new Arrivals(new QueueLeaders(), new Coverages(new SimulatedDisk())).arrive(record);
    }

    private List<String> rows(int index) throws DiskFailure {
        List<String> rows = new ArrayList<>();
        ((RemovedRows) list.subject(index))
                .forEach(each -> {
                    RowNote note = note(each);
                    assertThat(note.place).isEqualTo(RowNote.IDLE);
                    assertThat(note.bytes).isEqualTo(64);
                    rows.add(each.queueId + " " + each.messageId + ":" + each.server);
                });
        return rows;
    }
}
