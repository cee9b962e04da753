package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import org.junit.jupiter.api.Test;

/**
 * A message that is larger than a record of the journal usually is stands in the journal once,
 * however many queues get it, as long as they get it before it is written.
 */
class LargeFanOutTest {
    private static final int LARGE = 400 << 10;
    private static final int QUEUES = 50;

    private final StoreFixture store =
            new StoreFixture(
                    new StepWorkers(),
                    new MemoryDisk(),
                    new MemoryJournal(),
                    new StoreSettings(Durability.COMMIT, 100, 0, 2_000, 64 << 20, 256 << 20, 0, 0),
                    StoreRules.ALL);

    private final Message message = store.message("x".repeat(LARGE));

    private void assertThatItIsWrittenOnce() {
        store.time.pass(10);
        assertThat(store.store.value(StoreMetric.JOURNAL_BYTES))
                .isBetween((long) LARGE, LARGE + (64L << 10));
        store.time.pass(10_000);
        for (int i = 0; i < QUEUES; i++) {
            assertThat(store.texts(queue(i))).containsExactly("x".repeat(LARGE));
        }
    }

    @Test
    void in_one_turn() {
        for (int i = 0; i < QUEUES; i++) {
            store.append(0, queue(i), message);
        }
        store.shard(0).commit();
        assertThatItIsWrittenOnce();
    }

    @Test
    void in_a_turn_each_on_two_shards() {
        for (int i = 0; i < QUEUES; i++) {
            store.append(i % 2, queue(i), message);
            store.shard(i % 2).commit();
        }
        assertThat(store.store.value(StoreMetric.COMMIT_BYTES))
                .isBetween(2L * LARGE, 2 * LARGE + (64L << 10));
        assertThatItIsWrittenOnce();
        assertThat(store.store.value(StoreMetric.COMMIT_BYTES)).isZero();
    }

    @Test
    void again_in_another_record_once_it_was_written() {
        for (int i = 0; i < 3; i++) {
            store.append(0, queue(i), message);
            store.shard(0).commit();
            assertThat(store.store.value(StoreMetric.COMMIT_BYTES)).isGreaterThan(LARGE);
            store.time.pass(10);
        }
        assertThat(store.journal.records()).isEqualTo(3);
    }

    @Test
    void other_large_ones_begin_records_of_their_own() {
        for (int i = 0; i < 4; i++) {
            store.append(0, queue(i), store.message("y".repeat(LARGE)));
            store.append(0, queue(i + 4), message);
            store.shard(0).commit();
        }
        store.time.pass(10);
        assertThat(store.journal.records()).isEqualTo(8);
    }
}
