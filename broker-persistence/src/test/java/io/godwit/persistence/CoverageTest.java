package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is on the disk of the queues' coverage, whoever has learned of it. */
class CoverageTest {
    private static final int OTHER = 9;

    private static final StoreSettings SMALL_JOURNAL =
            new StoreSettings(Durability.COMMIT, 100, 0, 2_000, 64 << 20, 4096, 0, 0);

    private StoreFixture store = new StoreFixture();

    private void end(int number) {
        store.shard(0).removeSession(ClientId.of("c" + number), queue(number), store.stamp());
    }

    private boolean hasCoverage(int number) {
        return store.disk.rows(Family.META).containsKey(Keys.meta('Q', queue(number)));
    }

    /** The part of its previous leader and its own append come before either is written. */
    @Test
    void entries_of_the_previous_leader_stay_when_an_adopted_queue_grows() throws Exception {
        StoreFixture leader = new StoreFixture(OTHER);
        List<byte[]> stream = new ArrayList<>();
        leader.store.ship((position, set, body) -> stream.add(body));
        leader.connect(0, 1);
        Entry there = leader.append(0, queue(1), leader.message("there"));
        leader.commit();
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        SMALL_JOURNAL,
                        StoreRules.ALL);
        store.time.rowsWait = true;
        store.disk.beforeWrite =
                () -> {
                    store.time.rowsWait = false;
                    store.time.pass(0);
                };
        store.shard(1).apply(OTHER, 1, 1, stream.getFirst());
        store.commit();
        store.shard(1).adopt(queue(1), new Epoch(Epoch.number(1, 1), 7), new Recovered());
        Entry here =
                store.append(
                        1, new Entry(queue(1), there.messageId + 1_000, store.message("here"), 1));
        store.commit();
        store.append(0, queue(2), store.message("x".repeat(5_000)));
        store.commit();
        store.append(0, queue(2), store.message("the journal is at its bound"));
        store.commit();
        store.time.rowsWait = false;
        store.time.pass(15_000);

        Coverage coverage = store.store.coverage(queue(1));
        assertThat(coverage.covers(there.messageId, OTHER)).isTrue();
        assertThat(coverage.covers(here.messageId, 7)).isTrue();
        assertThat(store.failure).isNull();
    }

    @Test
    void a_queue_that_ended_before_the_flush_leaves_none() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        store.commit();
        end(1);
        store.commit();
        store.materialise();

        store.time.pass(15_000);

        assertThat(hasCoverage(1)).isFalse();
    }

    @Test
    void a_queue_that_ends_while_its_coverage_waits_to_be_written_leaves_none() {
        store.connect(0, 1);
        store.connect(0, 2);
        store.append(0, queue(1), store.message("a"));
        store.append(0, queue(2), store.message("b"));
        store.commit();
        store.materialise();
        List<String> done = new ArrayList<>();
        store.disk.beforeWrite =
                () -> {
                    if (done.isEmpty()) {
                        done.add("ended");
                        end(1);
                        store.commit();
                        store.materialise();
                    }
                };

        store.time.pass(30_000);

        assertThat(done).containsExactly("ended");
        assertThat(hasCoverage(1)).isFalse();
        assertThat(hasCoverage(2)).isTrue();
    }

    @Test
    void a_queue_whose_rows_went_before_its_coverage_was_written_leaves_none_after_a_start() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        end(1);
        store.commit();
        store.materialise();

        store =
                new StoreFixture(
                        new StepWorkers(),
                        store.disk.copied(),
                        store.journal.copied(),
                        StoreFixture.SETTINGS,
                        StoreRules.ALL);

        assertThat(hasCoverage(1)).isFalse();
        store.time.pass(15_000);
        assertThat(hasCoverage(1)).isFalse();
    }

    /**
     * The rows of a part of it are flushed, and coverage has not said yet that it has that part.
     */
    @Test
    void a_start_that_is_cut_keeps_the_journal_that_it_replays() {
        store.connect(0, 1);
        for (int i = 0; i < 50; i++) {
            for (int j = 0; j < 100; j++) {
                store.append(0, queue(1), store.message("m"));
            }
            store.commit();
        }
        MemoryDisk disk = store.disk.crashed();
        MemoryJournal journal = store.journal.crashed();
        disk.writesLeft = 2;
        Worker atOnce =
                new Worker() {
                    @Override
                    public void execute(Runnable task) {
                        task.run();
                    }

                    @Override
                    public void schedule(Runnable task, long delayNanos) {}
                };
        StepWorkers time = new StepWorkers();
        Workers workers =
                new Workers(
                        time.worker,
                        time.worker,
                        List.of(time.worker, time.worker),
                        atOnce,
                        time.worker);
        DiskStore cut =
                new DiskStore(disk, journal, SMALL_JOURNAL, time, workers, StoreRules.ALL, 7);
        assertThatThrownBy(() -> cut.start(1, new Deaf()))
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("planned");

        store =
                new StoreFixture(
                        new StepWorkers(),
                        disk.crashed(),
                        journal.crashed(),
                        StoreFixture.SETTINGS,
                        StoreRules.ALL);

        assertThat(store.read(queue(1), RowRead.Section.IDLE, HybridId.NONE, 10_000).entries)
                .hasSize(5_000);
    }
}
