package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.Op;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the window keeps of the removal of a row that was read back. */
class RemovedRowTest {
    private final OpList list = new OpList(null, 0, 4);
    private final RowNote note = RowNote.idle(200);
    private final QueuedMessage entry = KeptEntry.row(1, 2, 3, null, 1, false, new int[0], note);

    @BeforeEach
    void read() {
        note.readBack();
    }

    @Test
    void of_a_row_that_is_as_it_was_read_no_entry_is_kept() {
        list.add(Op.REMOVE, entry, 0, 0);

        arrive();

        assertThat(list.subject(0)).isEqualTo(new RemovedRow(1, 2, 3, 200));
    }

    @Test
    void one_of_which_the_window_says_more_keeps_its_entry() {
        list.add(Op.IN_FLIGHT, entry, 5, 0);
        list.add(Op.REMOVE, entry, 0, 0);

        arrive();

        assertThat(list.subject(1)).isSameAs(entry);
    }

    @Test
    void one_that_takes_more_than_its_row_along_keeps_its_entry() {
        note.isReference = true;
        list.add(Op.REMOVE, entry, 0, 0);

        arrive();

        assertThat(list.subject(0)).isSameAs(entry);
    }

    private void arrive() {
        JournalEntry record = new JournalEntry(1, 0);
        record.lists.add(list);
        new Arrivals(new Homes()).arrive(record);
    }
}
