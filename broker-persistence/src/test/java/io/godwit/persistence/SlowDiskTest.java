package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Coverage;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disk that is slow, does not answer, or fails. */
class SlowDiskTest {
    private StoreFixture store = new StoreFixture();

    @Test
    void a_journal_at_its_bound_makes_commits_wait_for_a_flush() {
        StoreSettings small =
                new StoreSettings(Durability.COMMIT, 100, 500_000, 60_000, 64 << 20, 4096, 0, 0);
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        small,
                        StoreRules.ALL);
        store.connect(0, 1);
        for (int i = 0; i < 50; i++) {
            store.append(0, queue(1), store.message("x".repeat(500)));
            store.commit();
        }
        store.time.pass(100);

        assertThat(store.journal.bytes).isLessThan(4096 + 1000);
        assertThat(store.shards.get(0).committed).isEqualTo(50);
        store = store.afterCrash();
        assertThat(store.texts(queue(1))).hasSize(50);
    }

    @Test
    void rows_that_are_written_while_a_flush_is_under_way_keep_their_journal() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("before"));
        store.commit();
        store.materialise();
        List<String> done = new ArrayList<>();
        store.disk.whileFlushing =
                () -> {
                    if (done.isEmpty()) {
                        done.add("written");
                        store.append(0, queue(1), store.message("meanwhile"));
                        store.commit();
                        store.materialise();
                    }
                };
        store.time.pass(15_000); // nobody writes: what is in memory only is flushed
        assertThat(done).containsExactly("written");
        assertThat(store.rows(Family.QUEUES)).isEqualTo(2);

        store = store.afterCrash();
        assertThat(store.texts(queue(1))).containsExactly("before", "meanwhile");
    }

    @Test
    void coverage_that_grows_while_it_is_written_keeps_its_journal() throws Exception {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("before"));
        store.commit();
        store.materialise();
        List<StoreFixture.Entry> removed = new ArrayList<>();
        store.disk.beforeWrite =
                () -> {
                    if (removed.isEmpty()) {
                        removed.add(store.append(0, queue(1), store.message("meanwhile")));
                        store.commit();
                        store.shard(0).remove(removed.getFirst());
                        store.commit();
                        store.materialise();
                    }
                };
        store.time.pass(15_000);
        assertThat(removed).hasSize(1);

        store = store.afterCrash();
        assertThat(store.texts(queue(1))).containsExactly("before");
        Coverage coverage = store.store.coverage(queue(1));
        assertThat(coverage.covers(removed.getFirst().messageId, 7)).isTrue();
    }

    @Test
    void for_how_long_the_disk_has_not_answered_is_known() {
        assertThat(store.store.stalledMs()).isZero();
        store.connect(0, 1);
        List<Long> seen = new ArrayList<>();
        store.journal.whileSyncing =
                () -> {
                    store.time.pass(700);
                    seen.add(store.store.stalledMs());
                };
        store.commit();
        assertThat(seen).singleElement().satisfies(each -> assertThat(each).isBetween(700L, 703L));
        store.time.pass(60_000);
        assertThat(store.store.stalledMs()).as("nothing waits").isZero();
    }

    @Test
    void a_journal_at_its_bound_that_nobody_empties_is_a_stall_too() {
        StoreSettings small =
                new StoreSettings(Durability.COMMIT, 100, 500_000, 60_000, 64 << 20, 4096, 0, 0);
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        small,
                        StoreRules.ALL);
        store.connect(0, 1);
        store.commit();
        store.journal.bytes += 10_000; // as if a flush did not come back
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.time.pass(5_000);
        assertThat(store.store.stalledMs()).isBetween(5_000L, 5_003L);
        store.journal.bytes -= 10_000;
        store.time.pass(5);
        assertThat(store.store.stalledMs()).isZero();
        assertThat(store.shards.getFirst().committed).isEqualTo(2);
    }

    @Test
    void a_store_that_is_given_up_tells_so_and_writes_nothing_more() {
        store.connect(0, 1);
        store.commit();
        store.store.giveUp(new DiskFailure("hung", new IllegalStateException()));
        store.connect(0, 2);
        store.commit();
        assertThat(store.failure).hasMessage("hung");
        assertThat(store.shards.getFirst().committed).isEqualTo(1);
        assertThat(store.shards.getFirst().failed).containsExactly(2L);
    }

    @Test
    void after_a_failed_sync_nothing_is_acknowledged_any_more() {
        store.journal.syncsLeft = 1;
        store.connect(0, 1);
        store.commit();
        store.connect(0, 2);
        store.connect(1, 3);
        store.commit();
        store.journal.syncsLeft = -1;
        store.connect(0, 4);
        store.commit();

        assertThat(store.shards.get(0).committed).isEqualTo(1);
        assertThat(store.shards.get(0).failed).containsExactly(2L, 3L);
        assertThat(store.shards.get(1).failed).containsExactly(1L);
        assertThat(store.failure).hasMessage("planned");
    }
}
