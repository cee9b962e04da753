package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commits start further apart while acknowledgements come a little later than their writes. */
class SoonAcknowledgedTest {
    private static final int RECORD_OPS = 16;

    private final StoreFixture store =
            new StoreFixture(
                    new StepWorkers(),
                    new MemoryDisk(),
                    new MemoryJournal(),
                    new StoreSettings(
                            Durability.COMMIT,
                            100,
                            500_000,
                            2_000,
                            64 << 20,
                            256 << 20,
                            0,
                            0,
                            RECORD_OPS),
                    StoreRules.ALL);

    /**
     * 500 turns, one a millisecond, each with 20 messages.
     *
     * @param laterMs when they are acknowledged
     * @return how much was not written in the last 300, of all that was told, in percent
     */
    private long notWritten(int laterMs) {
        Deque<List<StoreFixture.Entry>> open = new ArrayDeque<>();
        long told = 0;
        long cancelled = 0;
        for (int turn = 0; turn < 500; turn++) {
            if (turn == 200) {
                told = store.store.value(StoreMetric.OPERATIONS);
                cancelled = store.store.value(StoreMetric.CANCELLED);
            }
            List<StoreFixture.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                entries.add(store.append(0, queue(1), store.message("m")));
            }
            open.add(entries);
            if (open.size() > laterMs) {
                open.remove().forEach(store.shard(0)::remove);
            }
            store.shard(0).commit();
            store.time.pass(1);
        }
        return 100
                * (store.store.value(StoreMetric.CANCELLED) - cancelled)
                / (store.store.value(StoreMetric.OPERATIONS) - told);
    }

    @Test
    void what_is_acknowledged_after_five_milliseconds_is_mostly_not_written() {
        assertThat(notWritten(5)).isGreaterThan(70);
    }

    @Test
    void nobody_waits_longer_for_subscribers_that_are_slow() {
        assertThat(notWritten(20)).isZero();
        store.append(0, queue(1), store.message("last"));
        long before = store.shards.get(0).committed;
        store.shard(0).commit();
        store.time.pass(1);
        assertThat(store.shards.get(0).committed).isGreaterThan(before);
    }
}
