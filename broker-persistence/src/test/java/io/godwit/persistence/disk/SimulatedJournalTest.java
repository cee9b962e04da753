package io.godwit.persistence.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimulatedJournalTest {
    @Test
    void a_power_cut_keeps_what_was_synced_and_a_prefix_of_the_rest() throws Exception {
        TreeSet<Long> survivors = new TreeSet<>();
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            SimulatedJournal journal = new SimulatedJournal();
            append(journal, 1, 2);
            journal.sync();
            append(journal, 3, 6);
            assertThat(journal.unsyncedRecords()).isEqualTo(4);
            SimulatedJournal after = journal.powerCut(random);
            long[] seen = {0};
            after.replay(0, (position, flags, record) -> assertThat(position).isEqualTo(++seen[0]));
            survivors.add(seen[0]);
            assertThat(after.last()).isEqualTo(seen[0]);
            assertThatThrownBy(() -> append(journal, 7, 7)).isInstanceOf(DiskFailure.class);
        }
        assertThat(survivors).containsExactly(2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void a_sync_that_fails_ends_all_writing() throws Exception {
        SimulatedJournal journal =
                new SimulatedJournal(
                        new SimulatedDisk.Weather() {
                            @Override
                            public void beforeWrite(boolean sync) throws IOException {
                                if (sync) {
                                    throw new IOException("no");
                                }
                            }
                        });
        append(journal, 1, 2);
        assertThatThrownBy(journal::sync).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(journal::sync).hasMessageContaining("failed before");
        assertThatThrownBy(() -> append(journal, 3, 3)).hasMessageContaining("failed before");
        SimulatedDisk.Weather fair = SimulatedDisk.Weather.FAIR;
        assertThat(journal.powerCut(new Random(2), fair).last()).isBetween(0L, 2L);
    }

    private static void append(SimulatedJournal journal, long from, long to) throws DiskFailure {
        for (long position = from; position <= to; position++) {
            journal.append(position, Journal.WHOLE, new byte[3], 3);
        }
    }
}
