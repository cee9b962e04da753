package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is held until it is written, and until it leaves the journal's window, is counted. */
class WaitingBytesTest {
    private static final long WINDOW_BYTES = 1 << 20;
    private static final int MESSAGE = 16 << 10;
    private static final int TURN_MESSAGES = 4;

    /** Generous: what an operation and its message take beside the payload. */
    private static final long TURN_BYTES = TURN_MESSAGES * (MESSAGE + 256L);

    private final StoreFixture store =
            new StoreFixture(
                    new StepWorkers(),
                    new MemoryDisk(),
                    new MemoryJournal(),
                    new StoreSettings(
                            Durability.COMMIT, 100, 0, 2_000, WINDOW_BYTES, 256 << 20, 0, 0),
                    StoreRules.ALL);

    private long waiting() {
        return store.store.value(StoreMetric.COMMIT_BYTES);
    }

    /** A turn of a shard: no worker of the store runs meanwhile. */
    private void turn(int shard, boolean retained) {
        for (int i = 0; i < TURN_MESSAGES; i++) {
            Message message = store.message("x".repeat(MESSAGE));
            if (retained) {
                store.shard(shard).putRetained(message, new HybridId(store.nextId(), 7));
            } else {
                store.append(shard, queue(shard), message);
            }
        }
        store.shard(shard).commit();
    }

    /** Shards that take a turn as long as publishers are read, while the disk stalls. */
    private int turnsWhileStalled(boolean retained) {
        int turns = 0;
        while (turns < 1_000 && !store.store.isBehind()) {
            // All of them have looked before the first one is done.
            for (int shard = 0; shard < 2; shard++) {
                turn(shard, retained);
                turns++;
            }
        }
        return turns;
    }

    @Test
    void a_disk_that_stalls_stops_the_reading_at_half_a_window_and_a_turn_of_each_shard() {
        int turns = turnsWhileStalled(false);
        assertThat(turns).isLessThan(20);
        assertThat(waiting())
                .isBetween(WINDOW_BYTES / 2, WINDOW_BYTES / 2 + 2 * TURN_BYTES)
                .isGreaterThan((long) turns * TURN_MESSAGES * MESSAGE);

        store.time.pass(10);
        assertThat(waiting()).isZero();
        assertThat(store.store.isBehind()).isFalse();
        assertThat(store.shards).allMatch(shard -> shard.committed == turns / 2);
    }

    @Test
    void retained_messages_stop_it_too() {
        turnsWhileStalled(true);
        assertThat(store.store.isBehind()).isTrue();
        assertThat(waiting()).isBetween(WINDOW_BYTES / 2, WINDOW_BYTES / 2 + 2 * TURN_BYTES);
    }

    @Test
    void a_store_that_has_failed_holds_nothing_back() {
        store.journal.syncsLeft = 0;
        turnsWhileStalled(false);
        store.time.pass(10);
        assertThat(store.failure).isNotNull();
        assertThat(waiting()).isZero();
        assertThat(store.store.isBehind()).isFalse();
    }

    @Test
    void the_window_counts_what_retained_messages_and_records_hold() {
        store.shard(0)
                .putRetained(store.message("r".repeat(50_000)), new HybridId(store.nextId(), 7));
        store.commit();
        assertThat(store.store.windowBytes()).isBetween(50_000L, 51_000L);

        store.shard(0).putSession(ClientId.of("c"), withWill(new byte[60_000], Properties.NONE));
        store.commit();
        assertThat(store.store.windowBytes()).isBetween(110_000L, 112_000L);
        // Also when what is void was taken out of the window.
        store.time.pass(200);
        assertThat(store.store.windowBytes()).isBetween(110_000L, 112_000L);
        store.time.pass(3_000);
        assertThat(store.store.windowBytes()).isZero();
    }

    @Test
    void what_nobody_has_taken_after_a_quarter_of_the_window_leaves_it() {
        turn(0, false);
        store.time.pass(450);
        assertThat(store.store.windowBytes()).isGreaterThan(TURN_MESSAGES * MESSAGE);
        store.time.pass(200);
        assertThat(store.store.windowBytes()).isZero();
    }

    @Test
    void what_most_was_taken_of_waits_for_the_rest() {
        List<StoreFixture.Entry> entries =
                IntStream.range(0, TURN_MESSAGES)
                        .mapToObj(
                                i -> store.append(0, queue(0), store.message("x".repeat(MESSAGE))))
                        .toList();
        store.commit();
        entries.stream().skip(1).forEach(entry -> store.shard(0).remove(entry));
        store.commit();
        store.time.pass(1_900);
        assertThat(store.store.windowBytes()).isBetween((long) MESSAGE, 2L * MESSAGE);
        store.time.pass(200);
        assertThat(store.store.windowBytes()).isZero();
    }

    @Test
    void the_properties_of_a_will_that_waits_count_too() {
        Properties properties = Properties.builder().user("n", "x".repeat(50_000)).build();
        store.shard(0).putSession(ClientId.of("c"), withWill(new byte[0], properties));
        store.shard(0).commit();
        assertThat(waiting()).isBetween(50_000L, 51_000L);
    }

    private SessionRecord withWill(byte[] payload, Properties properties) {
        SessionRecord plain = store.session(queue(1));
        return new SessionRecord(
                plain.queueId(),
                plain.generation(),
                plain.stamp(),
                plain.epoch(),
                plain.version(),
                plain.expirySeconds(),
                plain.disconnectedAtMs(),
                new KeptWill(
                        new Will(Topic.of("w"), 1, false, payload, 0, properties),
                        new IngressId(7, 1)),
                List.of());
    }
}
