package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Family;
import org.junit.jupiter.api.Test;

/**
 * A node goes on with a store whose message ids another server id has given, as after a restore:
 * whatever it says of a row is about the row's own id.
 */
class OtherServerTest {
    private static final int OLD = 7;
    private static final int NEW = 9;

    private StoreFixture store = new StoreFixture();

    private void restored() {
        store.commit();
        store.materialise();
        store = store.afterCrashAs(NEW);
    }

    private Page page(RowRead.Section section) {
        return store.read(queue(1), section);
    }

    @Test
    void expired_rows_are_told_of_under_their_own_ids_and_go() {
        store.connect(0, 1);
        long soon = store.time.wallMs() + 3_000;
        Entry old = store.append(0, queue(1), store.message("old", 1, soon));
        restored();
        Entry young = store.append(0, queue(1), store.message("new", 1, soon));
        store.commit();
        store.materialise();
        store.time.pass(4_000);
        assertThat(store.expiredRows)
                .contains(
                        new ExpiredRow(old.messageId, OLD, old.bytes),
                        new ExpiredRow(young.messageId, NEW, young.bytes));

        for (ExpiredRow each : store.expiredRows) {
            store.shard(0).removeRow(queue(1), each.messageId(), each.server());
        }
        assertThat(store.texts(queue(1))).isEmpty();
        store.commit();
        store = store.afterCrashAs(NEW);
        assertThat(store.texts(queue(1))).isEmpty();
        assertThat(store.rows(Family.QUEUES)).isZero();
        assertThat(store.rows(Family.EXPIRY)).isZero();
        assertThat(store.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(store.store.value(StoreMetric.QUEUED_BYTES)).isZero();
    }

    @Test
    void pages_end_and_begin_between_two_ids_of_one_clock() {
        store.connect(0, 1);
        Entry old = store.append(0, queue(1), store.message("old"));
        restored();
        Entry young = new Entry(queue(1), old.messageId, store.message("new"), 1);
        store.shard(0).append(young);
        store.commit();
        store.materialise();
        for (RowRead.Section section : RowRead.Section.values()) {
            Page first = store.read(queue(1), section, HybridId.NONE, 1);
            Page second = store.read(queue(1), section, first.entries.getFirst().id(), 1);
            assertThat(first.entries).extracting(Entry::text).containsExactly("old");
            assertThat(second.entries).extracting(Entry::text).containsExactly("new");
            assertThat(store.read(queue(1), section, young.id(), 1).entries).isEmpty();
            if (section == RowRead.Section.IDLE) {
                inFlight(first.entries.getFirst(), 1);
                inFlight(second.entries.getFirst(), 2);
                store.commit();
                store.materialise();
            }
        }
    }

    private void inFlight(Entry entry, int packetId) {
        entry.packetId = packetId;
        store.shard(0).inFlight(entry);
    }

    @Test
    void rows_that_are_read_go_on_and_are_removed() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        store.append(0, queue(1), store.message("b", 2, Message.NEVER));
        store.append(0, queue(1), store.message("c", 2, Message.NEVER));
        restored();
        Page idle = page(RowRead.Section.IDLE);
        assertThat(idle.entries).extracting(each -> each.server).containsOnly(OLD);
        store.append(0, queue(1), store.message("d"));
        int packetId = 0;
        for (Entry entry : idle.entries) {
            inFlight(entry, ++packetId);
        }
        store.shard(0).released(idle.entries.get(2));
        store.commit();
        store.materialise();
        store = store.afterCrashAs(NEW);

        Page inFlight = page(RowRead.Section.IN_FLIGHT);
        assertThat(inFlight.entries).extracting(Entry::text).containsExactly("a", "b", "-");
        assertThat(inFlight.entries).extracting(each -> each.server).containsOnly(OLD);
        assertThat(store.texts(queue(1))).containsExactly("d");
        for (Entry entry : inFlight.entries) {
            store.shard(0).remove(entry);
        }
        store.commit();
        store = store.afterCrashAs(NEW);
        assertThat(page(RowRead.Section.IN_FLIGHT).entries).isEmpty();
        assertThat(store.texts(queue(1))).containsExactly("d");
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
    }

    @Test
    void what_members_have_of_a_group_goes_back_and_ends_under_its_own_id() {
        long group = queue(100);
        store.connect(0, 1);
        store.shard(0).putGroup(TopicFilter.of("$share/g/t"), 3, group);
        Entry sent = store.append(0, group, store.message("sent", 2, Message.NEVER));
        Entry idle = store.append(0, group, store.message("idle", 2, Message.NEVER));
        Receiver member =
                new Receiver(new SessionKey(queue(1), new HybridId(1, OLD)), ClientId.of("member"));
        sent.packetId = 4;
        store.shard(0).inFlightTo(sent, member);
        store.shard(0).putMarker(queue(1), 77, OLD, 5, OLD, 1);
        restored();

        assertThat(store.recovered.inFlight.get(group))
                .extracting(KeptInFlight::id)
                .containsExactly(new HybridId(sent.messageId, OLD));
        Entry read = store.read(group, RowRead.Section.IN_FLIGHT).entries.getFirst();
        store.shard(0).idleAgain(read);
        Entry waiting = store.read(group, RowRead.Section.IDLE).entries.getFirst();
        assertThat(waiting.messageId).isEqualTo(idle.messageId);
        waiting.packetId = 6;
        store.shard(0).inFlightTo(waiting, member);
        store.shard(0).removeMarker(queue(1), 77, OLD);
        store.commit();
        store.materialise();
        store = store.afterCrashAs(NEW);

        assertThat(store.texts(group)).containsExactly("sent");
        assertThat(store.recovered.inFlight.get(group))
                .extracting(KeptInFlight::id)
                .containsExactly(new HybridId(idle.messageId, OLD));
        assertThat(page(RowRead.Section.IN_FLIGHT).markers).isEmpty();
    }

    @Test
    void two_rows_of_one_clock_are_two() {
        store.connect(0, 1);
        Entry old = store.append(0, queue(1), store.message("old"));
        restored();
        Entry young = new Entry(queue(1), old.messageId, store.message("new"), 1);
        store.shard(0).append(young);
        store.commit();
        store.materialise();
        assertThat(store.texts(queue(1))).containsExactly("old", "new");

        store.shard(0).removeRow(queue(1), old.messageId, OLD);
        store.commit();
        store.materialise();
        assertThat(store.texts(queue(1))).containsExactly("new");
        assertThat(store.store.value(StoreMetric.QUEUED)).isEqualTo(1);
    }
}
