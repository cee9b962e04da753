package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import org.junit.jupiter.api.Test;

/** What is gone is remembered for a while, and then forgotten. */
class GoneTest {
    private StoreFixture store = new StoreFixture();

    private SessionRecord connect(int number) {
        SessionRecord record = store.session(queue(number));
        store.shard(0).putSession(ClientId.of("c" + number), record);
        return record;
    }

    private HybridId end(int number) {
        HybridId stamp = store.stamp();
        store.shard(0).removeSession(ClientId.of("c" + number), queue(number), stamp);
        return stamp;
    }

    @Test
    void a_session_that_ended_is_known_as_gone_after_a_start() {
        SessionRecord early = connect(1);
        store.commit();
        store.materialise();
        HybridId end = end(1);
        SessionRecord brief = connect(2);
        HybridId endOfBrief = end(2);
        store.commit();

        store = store.afterCrash();

        assertThat(store.recovered.sessions).isEmpty();
        assertThat(store.recovered.goneOf(queue(1)).generation()).isEqualTo(early.generation());
        assertThat(store.recovered.goneOf(queue(1)).stamp()).isEqualTo(end);
        assertThat(store.recovered.goneOf(queue(1)).clientId()).isEqualTo(ClientId.of("c1"));
        assertThat(store.recovered.goneOf(queue(2)).generation()).isEqualTo(brief.generation());
        assertThat(store.recovered.goneOf(queue(2)).stamp()).isEqualTo(endOfBrief);
    }

    @Test
    void a_deleted_retained_message_leaves_its_stamp_and_is_no_message() {
        store.shard(0).putRetained(store.message("kept"), store.stamp());
        HybridId stamp = store.stamp();
        store.shard(0).removeRetained(Topic.of("t"), stamp);
        store.commit();

        store = store.afterCrash();

        assertThat(store.recovered.retained).isEmpty();
        assertThat(store.recovered.retainedGone).containsEntry("t", stamp);
        // A later value takes its place.
        store.shard(0).putRetained(store.message("again"), store.stamp());
        store.commit();
        store = store.afterCrash();
        assertThat(store.recovered.retained).containsOnlyKeys("t");
        assertThat(store.recovered.retainedGone).isEmpty();
    }

    @Test
    void an_export_and_an_import_keep_it() throws Exception {
        connect(1);
        HybridId end = end(1);
        HybridId deleted = store.stamp();
        store.shard(0).removeRetained(Topic.of("t"), deleted);
        store.commit();
        store.store.close();
        MemoryDisk brought = new MemoryDisk();
        StoreImport to = new StoreImport(brought);
        new StoreExport(store.disk, to).run();
        to.finish();

        store =
                new StoreFixture(
                        new StepWorkers(),
                        brought,
                        new MemoryJournal(),
                        StoreFixture.SETTINGS,
                        StoreRules.ALL);

        assertThat(store.recovered.goneOf(queue(1)).stamp()).isEqualTo(end);
        assertThat(store.recovered.retainedGone).containsEntry("t", deleted);
        store.time.pass(StoreSettings.FORGET_AFTER_MS + 60_000);
        assertThat(store.rows(Family.RETAINED)).isZero();
    }

    @Test
    void it_is_forgotten_when_its_time_is_over() {
        connect(1);
        end(1);
        store.shard(0).putRetained(store.message("kept"), store.stamp());
        store.shard(0).removeRetained(Topic.of("t"), store.stamp());
        store.shard(0).removeRetained(Topic.of("u"), store.stamp());
        store.commit();
        store.materialise();
        store.shard(0).putRetained(store.message("alive"), store.stamp());
        store.commit();
        store.materialise();
        store.time.pass(StoreSettings.FORGET_AFTER_MS - 60_000);
        assertThat(store.disk.rows(Family.META).keySet()).anyMatch(key -> key[0] == 'Z');
        assertThat(store.rows(Family.RETAINED)).isEqualTo(2);

        store.time.pass(120_000);

        assertThat(store.disk.rows(Family.META).keySet())
                .noneMatch(key -> key[0] == 'Z' || key[0] == 'Y');
        assertThat(store.rows(Family.RETAINED)).isEqualTo(1);
        assertThat(store.afterCrash().recovered.retained).containsOnlyKeys("t");
    }

    @Test
    void there_are_never_more_than_so_many_and_the_oldest_go_first() throws Exception {
        MemoryDisk disk = new MemoryDisk();
        Forgetting forgetting = new Forgetting(disk, new QueueLeaders(), 3);
        forgetting.load();
        Batch batch = new Batch();
        for (int i = 1; i <= 5; i++) {
            forgetting.retainedGone(batch, Topic.of("t" + i), new HybridId(i, 7));
        }
        disk.write(batch);
        batch.clear();

        assertThat(forgetting.sweep(batch, 0)).isFalse();

        disk.write(batch);
        assertThat(disk.rows(Family.RETAINED).keySet())
                .extracting(String::new)
                .containsExactly("t3", "t4", "t5");
    }
}
