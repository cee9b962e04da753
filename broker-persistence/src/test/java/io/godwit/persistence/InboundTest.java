package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** QoS 2 inward: PUBLISHes without PUBREL, and the queues that remember them. */
class InboundTest {
    private StoreFixture store = new StoreFixture();

    private Inbound publish(Message message, int packetId) {
        Inbound inbound = new Inbound(queue(1), packetId, 7, message.ingressCounter);
        store.shard(0).putInbound(inbound);
        return inbound;
    }

    private Remembered append(int shard, int number, Message message) {
        return store.remember(shard, store.append(shard, queue(number), message));
    }

    private Inbound only() {
        List<Inbound> kept = store.recovered.session(queue(1)).inbound();
        assertThat(kept).hasSize(1);
        return kept.get(0);
    }

    private void assertRemembers(int number, Message... messages) {
        assertThat(store.remembered(queue(number)))
                .as("queue %s", number)
                .containsExactly(
                        Arrays.stream(messages)
                                .map(each -> each.ingressCounter)
                                .toArray(Long[]::new));
    }

    @Test
    void who_has_got_it_is_known_after_one_cut_and_after_two() {
        store.connect(0, 1);
        store.connect(0, 2);
        store.connect(1, 3);
        store.connect(1, 4);
        store.commit();
        Message message = store.message("m", 2, Message.NEVER);
        publish(message, 5);
        append(0, 2, message);
        store.commit();
        store.time.pass(60_000);
        store.disk.flush();
        assertThat(store.rows(Family.QUEUES)).as("waits for nobody").isEqualTo(1);

        store = store.afterCrash();
        assertRemembers(2, message);
        assertRemembers(3);
        append(1, 3, message);
        store.shard(1).putRetained(message, store.stamp());
        store.shard(1).remember(new Remembered(0, store.nextId(), 7, 7, message.ingressCounter));
        store.commit();
        store.materialise();
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2, message);
        assertRemembers(3, message);
        assertThat(store.remembered(0)).containsExactly(message.ingressCounter);
        Inbound inbound = only();
        assertThat(inbound.taken).isFalse();
        append(1, 4, message);
        store.shard(0).inboundTaken(inbound);
        store.commit();

        store = store.afterCrash();
        assertThat(only().taken).isTrue();
        assertRemembers(4, message);
        store.shard(0).removeInbound(only());
        store.commit();
        store = store.afterCrash();
        assertThat(store.recovered.session(queue(1)).inbound()).isEmpty();
    }

    @Test
    void without_the_rule_a_cut_forgets_who_has_got_it() {
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        StoreFixture.SETTINGS,
                        StoreRules.without(StoreRule.INGRESS_OUTLIVES_WINDOW));
        store.connect(0, 2);
        append(0, 2, store.message("m", 2, Message.NEVER));
        store.commit();
        store.time.pass(60_000);
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2);
    }

    @Test
    void what_is_forgotten_within_the_window_is_never_written() {
        store.connect(0, 2);
        store.commit();
        store.materialise();
        Remembered ingress = append(0, 2, store.message("m", 2, Message.NEVER));
        store.commit();
        store.shard(0).forget(ingress);
        store.append(0, queue(2), store.message("n"));
        store.commit();
        store.materialise();
        assertThat(store.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'R');
        store = store.afterCrash();
        assertRemembers(2);
    }

    @Test
    void that_it_was_forgotten_goes_with_the_next_commit_and_is_no_reason_for_one() {
        store.connect(0, 2);
        Remembered ingress = append(0, 2, store.message("m", 2, Message.NEVER));
        store.commit();
        store.materialise();
        store.shard(0).forget(ingress);
        assertThat(store.shard(0).isDirty()).isFalse();
        store.disk.flush();
        StoreFixture crashed = store.afterCrash();
        assertThat(crashed.remembered(queue(2))).hasSize(1);

        store.append(0, queue(2), store.message("n"));
        store.commit();
        crashed = store.afterCrash();
        assertThat(crashed.remembered(queue(2))).as("from the journal").isEmpty();
        store.materialise();
        store.disk.flush();
        store = store.afterCrash();
        assertRemembers(2);
        assertThat(store.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'R');
    }

    @Test
    void one_that_waits_never_holds_back_the_rows_of_other_queues() {
        store.connect(0, 1);
        store.connect(0, 2);
        publish(store.message("m", 2, Message.NEVER), 5);
        store.commit();
        store.append(0, queue(2), store.message("n"));
        store.commit();
        store.time.pass(2_100);
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.store.windowBytes()).isZero();
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2);
        assertThat(only().taken).isFalse();
    }

    @Test
    void who_has_got_it_and_is_done_with_it_does_not_get_it_again() {
        store.connect(0, 1);
        store.connect(0, 2);
        store.connect(1, 3);
        Message message = store.message("m", 2, Message.NEVER);
        publish(message, 5);
        Entry done = store.append(0, queue(2), message);
        store.remember(0, done);
        Entry released = store.append(1, queue(3), message);
        store.remember(1, released);
        store.commit();
        done.packetId = 1;
        store.shard(0).inFlight(done);
        store.shard(0).released(done);
        released.packetId = 1;
        store.shard(1).inFlight(released);
        store.shard(1).released(released);
        released.message = null;
        store.commit();
        store.shard(0).remove(done);
        store.commit();
        // Long enough that nothing of the first is left in memory, then all of it leaves.
        store.time.pass(1_000);
        store.time.pass(10_000);
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2, message);
        assertRemembers(3, message);
    }

    @Test
    void what_a_power_cut_took_with_the_journal_is_not_said_to_be_there() {
        StoreSettings os =
                new StoreSettings(Durability.OS, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        os,
                        StoreRules.ALL);
        store.connect(0, 1);
        Message message = store.message("m", 2, Message.NEVER);
        publish(message, 5);
        store.commit();
        // Raises the clock's ceiling, and is synced for it; what comes right behind it is not.
        store.time.pass(1_700);
        store.connect(0, 2);
        store.commit();
        store.time.pass(200);
        append(0, 2, message);
        store.commit();
        store.time.pass(150);
        assertThat(store.rows(Family.QUEUES)).as("still in the window").isZero();
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2);
    }

    @Test
    void a_session_that_ends_takes_what_waits_and_what_it_remembers_along() {
        store.connect(0, 1);
        publish(store.message("m", 2, Message.NEVER), 5);
        append(0, 1, store.message("o", 2, Message.NEVER));
        store.commit();
        store.connect(0, 2);
        store.append(0, queue(2), store.message("n"));
        store.commit();
        store.time.pass(10_000);
        assertThat(store.disk.rows(Family.META).keySet()).anyMatch(key -> key[0] == 'R');

        store.shard(0).removeSession(ClientId.of("c1"), queue(1), store.stamp());
        store.commit();
        store.time.pass(10_000);

        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.store.windowBytes()).isZero();
        assertThat(store.disk.rows(Family.META).keySet())
                .noneMatch(key -> key[0] == 'I' || key[0] == 'R');
    }

    /** Where the journal's window ends: with a crash, in the middle, or behind all of it. */
    private enum Rows {
        NONE,
        OF_THE_END,
        OF_ALL
    }

    /** DISCONNECT with 0x04 and expiry 0: the session is gone, and its QoS 2 will is begun. */
    @ParameterizedTest
    @EnumSource
    void a_will_that_is_begun_behind_the_end_of_its_session_is_kept(Rows rows) {
        store.connect(0, 1);
        store.commit();
        store.materialise();
        store.shard(0).removeSession(ClientId.of("c1"), queue(1), store.stamp());
        store.connect(0, 1); // The record of what is owed, under the same queue id.
        store.commit();
        if (rows == Rows.OF_THE_END) {
            store.materialise();
            store.disk.flush();
        }
        Message will = store.message("will", 2, Message.NEVER);
        publish(will, 0);
        store.commit();
        if (rows == Rows.OF_ALL) {
            store.materialise();
            store.disk.flush();
        }

        for (int start = 1; start <= 2; start++) {
            store = store.afterCrash();
            assertThat(only().ingressCounter).as("start %s", start).isEqualTo(will.ingressCounter);
            store.materialise();
            store.disk.flush();
        }
        store.shard(0).removeSession(ClientId.of("c1"), queue(1), store.stamp());
        store.commit();
        store.materialise();
        assertThat(store.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'I');
    }

    @Test
    void a_window_that_cannot_wait_keeps_who_has_got_it() {
        StoreSettings small =
                new StoreSettings(Durability.COMMIT, 100, 500_000, 2_000, 4096, 256 << 20, 0, 0);
        store =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        small,
                        StoreRules.ALL);
        store.connect(0, 2);
        Message message = store.message("m", 2, Message.NEVER);
        append(0, 2, message);
        store.commit();
        for (int i = 0; i < 40; i++) {
            store.append(0, queue(2), store.message("n".repeat(1000)));
            store.commit();
        }
        store.time.pass(10_000);
        assertThat(store.rows(Family.QUEUES)).isPositive();
        store.disk.flush();

        store = store.afterCrash();
        assertRemembers(2, message);
    }

    @Test
    void one_that_ends_within_the_window_is_never_written() {
        store.connect(0, 1);
        store.commit();
        store.materialise();
        int records = store.rows(Family.META);
        Inbound inbound = publish(store.message("m", 2, Message.NEVER), 5);
        store.commit();
        store.shard(0).inboundTaken(inbound);
        store.shard(0).removeInbound(inbound);
        store.commit();
        int writes = store.disk.writes;
        store.materialise();

        assertThat(store.disk.writes).isEqualTo(writes + 1);
        assertThat(store.rows(Family.META)).isEqualTo(records);
    }
}
