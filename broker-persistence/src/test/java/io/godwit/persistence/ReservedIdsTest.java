package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.QueueId;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import org.junit.jupiter.api.Test;

/** Where a start's ids begin, and that they end with a sentence. */
class ReservedIdsTest {
    private StoreFixture store = new StoreFixture();

    @Test
    void ids_begin_above_every_earlier_one() {
        assertThat(store.floor.startNumber()).isEqualTo(1);
        store.connect(0, 1);
        store.time.pass(60_000);
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();

        StoreFixture after = store.afterCrash();

        assertThat(after.floor.startNumber()).isEqualTo(2);
        assertThat(after.floor.clock()).isGreaterThanOrEqualTo(entry.messageId);
        assertThat(after.floor.queueCounter()).isGreaterThan(store.floor.queueCounter());
    }

    @Test
    void a_block_of_queue_ids_is_kept_when_its_commit_ends_whatever_is_synced_else() {
        StoreSettings os =
                new StoreSettings(Durability.OS, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        os,
                        StoreRules.ALL);
        assertThat(store.floor.queueCeiling())
                .isEqualTo(store.floor.queueCounter() + IdFloor.QUEUE_BLOCK);
        long ceiling = store.floor.queueCeiling() + IdFloor.QUEUE_BLOCK;
        store.shard(0).reserveQueueIds(ceiling);
        store.commit();
        assertThat(store.shards.getFirst().committed).isEqualTo(1);

        StoreFixture after = store.afterCrash();
        assertThat(after.floor.queueCounter()).isEqualTo(ceiling);
        assertThat(after.afterCrash().floor.queueCounter())
                .as("a start takes one block")
                .isEqualTo(ceiling + IdFloor.QUEUE_BLOCK);
    }

    @Test
    void a_hundred_quick_starts_take_a_second_of_the_clock_each() {
        long first = store.floor.clock() >>> 16;
        for (int i = 0; i < 100; i++) {
            store = store.afterCrash();
        }
        long now = store.time.wallMs();
        assertThat((store.floor.clock() >>> 16) - Math.max(first, now)).isBetween(0L, 100 * 1_000L);
        assertThat(store.floor.startNumber()).isEqualTo(101);
    }

    @Test
    void a_start_whose_clock_is_years_ahead_does_not_take_the_ids_there() {
        store.connect(0, 1);
        store.commit();
        store.time.aheadMs = 20 * 365 * 86_400_000L;
        store = store.afterCrash();
        store.time.aheadMs = 0;
        store = store.afterCrash();
        assertThat((store.floor.clock() >>> 16) - store.time.wallMs()).isLessThan(10_000);
    }

    @Test
    void start_numbers_and_queue_ids_that_are_used_up_end_the_start_with_a_sentence()
            throws DiskFailure {
        put(Keys.IDS, IngressId.START_MAX - 1);
        store = store.afterCrash();
        assertThat(store.floor.startNumber()).isEqualTo(IngressId.START_MAX);
        assertThatThrownBy(() -> store.afterCrash())
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining("there is no start number left. It was not opened.");

        put(Keys.IDS, 1);
        put(Keys.QUEUE_IDS, QueueId.COUNTER_MAX - IdFloor.QUEUE_BLOCK + 1);
        assertThatThrownBy(() -> store.afterCrash())
                .isInstanceOf(StoreDamaged.class)
                .hasMessageContaining(
                        "the store has used up the queue ids of its server id. It was not opened.");
    }

    private void put(byte[] key, long value) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, key, new ByteWriter(10).varint(value).toBytes());
        store.disk.write(batch);
        store.disk.flush();
    }
}
