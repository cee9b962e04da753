package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A commit that has enough for a record leaves what was closed just now to the next one. */
class LeftForTheNextTest {
    private static final int RECORD_OPS = 4;

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

    private List<StoreFixture.Entry> turn(int shard, int messages) {
        List<StoreFixture.Entry> entries = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            entries.add(store.append(shard, queue(shard), store.message("m" + i)));
        }
        store.shard(shard).commit();
        return entries;
    }

    private long count(StoreMetric metric) {
        return store.store.value(metric);
    }

    @Test
    void what_is_acknowledged_until_then_is_never_written() {
        turn(0, RECORD_OPS);
        List<StoreFixture.Entry> late = turn(1, RECORD_OPS);
        store.time.pass(0);
        assertThat(count(StoreMetric.COMMITS)).isEqualTo(1);
        assertThat(store.shards.get(0).committed).isEqualTo(1);
        assertThat(store.shards.get(1).committed).isZero();

        late.forEach(store.shard(1)::remove);
        store.time.pass(10);
        assertThat(store.shards.get(1).committed).isEqualTo(1);
        assertThat(count(StoreMetric.APPENDS)).isEqualTo(RECORD_OPS);
    }

    @Test
    void what_was_left_is_written_though_nothing_else_comes() {
        turn(0, RECORD_OPS);
        turn(1, RECORD_OPS);
        store.time.pass(10);
        assertThat(store.shards).allMatch(shard -> shard.committed == 1);
        assertThat(count(StoreMetric.APPENDS)).isEqualTo(2 * RECORD_OPS);
        assertThat(count(StoreMetric.COMMITS)).isEqualTo(2);
    }

    @Test
    void a_commit_that_has_little_takes_all() {
        turn(0, 1);
        turn(1, 1);
        store.time.pass(0);
        assertThat(count(StoreMetric.COMMITS)).isEqualTo(1);
        assertThat(store.shards).allMatch(shard -> shard.committed == 1);
    }
}
