package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every journal does, the one in memory like the one in files. */
abstract class JournalContract {
    @TempDir Path temp;
    Journal journal;

    abstract Journal open() throws Exception;

    /** Opens what the one before has left; its process was killed, or it was closed. */
    abstract Journal next() throws Exception;

    @BeforeEach
    void start() throws Exception {
        journal = open();
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void what_was_appended_is_replayed_in_order_behind_a_position() throws Exception {
        assertThat(replay(0)).isEmpty();
        append(1, 5);
        journal.sync();
        append(6, 6);
        journal = next();
        assertThat(replay(2)).containsExactly("3=r3", "4=r4", "5=r5", "6=r6");
    }

    @Test
    void it_goes_on_where_it_ended() throws Exception {
        append(1, 3);
        journal.close();
        journal = next();
        assertThat(replay(0)).hasSize(3);
        append(4, 6);
        journal.sync();
        journal = next();
        assertThat(replay(5)).containsExactly("6=r6");
        assertThatThrownBy(() -> append(9, 9)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void only_what_was_not_released_counts() throws Exception {
        append(1, 100);
        journal.sync();
        long all = journal.bytes();
        assertThat(all).isGreaterThanOrEqualTo(292);
        journal.release(100);
        assertThat(journal.bytes()).isZero();
        append(101, 101);
        assertThat(journal.bytes()).isBetween(1L, all);
        journal.release(50);
        assertThat(journal.bytes()).isBetween(1L, all);
        journal = next();
        assertThat(replay(100)).containsExactly("101=r101");
    }

    @Test
    void a_caller_may_use_its_array_again() throws Exception {
        byte[] bytes = {1, 2, 3, 4};
        journal.append(1, Journal.WHOLE, bytes, 3);
        bytes[0] = 9;
        journal.append(2, Journal.WHOLE, bytes, 0);
        journal.sync();
        journal = next();
        List<byte[]> seen = new ArrayList<>();
        journal.replay(0, (position, flags, record) -> seen.add(record));
        assertThat(seen).containsExactly(new byte[] {1, 2, 3}, new byte[0]);
    }

    @Test
    void a_journal_that_is_missing_is_refused_each_time() throws Exception {
        assertThatThrownBy(() -> replay(7)).hasMessageContaining("is missing");
        journal.close();
        journal = next();
        assertThatThrownBy(() -> replay(7)).isInstanceOf(DiskFailure.class);
    }

    @Test
    void rows_may_be_ahead_of_what_was_never_synced() throws Exception {
        append(1, 3);
        journal.sync();
        journal = next();
        assertThat(replay(10)).isEmpty();
        append(11, 12);
        journal.sync();
        journal = next();
        assertThat(replay(10)).containsExactly("11=r11", "12=r12");
        Journal last = next();
        assertThatThrownBy(() -> last.replay(3, (position, flags, record) -> {}))
                .isInstanceOf(DiskFailure.class);
        last.close();
    }

    @Test
    void a_closed_journal_refuses() throws Exception {
        append(1, 1);
        journal.close();
        assertThatThrownBy(() -> append(2, 2)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> journal.sync()).isInstanceOf(DiskFailure.class);
        journal.close();
    }

    private void append(long from, long to) throws DiskFailure {
        for (long position = from; position <= to; position++) {
            byte[] record = ("r" + position).getBytes(StandardCharsets.US_ASCII);
            journal.append(position, Journal.WHOLE, record, record.length);
        }
    }

    private List<String> replay(long after) throws DiskFailure {
        List<String> seen = new ArrayList<>();
        journal.replay(
                after,
                (position, flags, record) ->
                        seen.add(position + "=" + new String(record, StandardCharsets.US_ASCII)));
        return seen;
    }
}
