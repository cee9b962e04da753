package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Family;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DiskStoreTest {
    private StoreFixture store = new StoreFixture();

    @Test
    void what_was_committed_is_there_after_a_power_cut() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        store.append(0, queue(1), store.message("b"));
        long commit = store.shard(0).openCommit();
        store.commit();
        assertThat(store.shards.get(0).committed).isEqualTo(commit);

        store = store.afterCrash();

        assertThat(store.recovered.session(queue(1)).clientId()).isEqualTo(ClientId.of("c1"));
        assertThat(store.texts(queue(1))).containsExactly("a", "b");
    }

    @Test
    void what_was_not_committed_is_not() {
        store.connect(0, 1);
        store.commit();
        store.append(0, queue(1), store.message("a"));
        store.shard(0).commit();

        store = store.afterCrash();

        assertThat(store.recovered.session(queue(1)).queue()).isNull();
    }

    @Test
    void append_and_removal_in_one_commit_write_nothing_and_complete() {
        Entry entry = store.append(0, queue(1), store.message("a"));
        entry.packetId = 5;
        store.shard(0).inFlight(entry);
        store.shard(0).remove(entry);
        long commit = store.shard(0).openCommit();
        store.commit();

        assertThat(store.shards.get(0).committed).isEqualTo(commit);
        assertThat(store.journal.records()).isZero();
        assertThat(store.store.value(StoreMetric.OPERATIONS)).isEqualTo(2);
        assertThat(store.store.value(StoreMetric.CANCELLED)).isEqualTo(2);
    }

    @Test
    void a_removal_that_was_not_committed_is_undone_by_a_power_cut_also_when_rows_were_flushed() {
        store.connect(0, 1);
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        store.shard(0).remove(entry);
        store.materialise();
        store.time.pass(20_000); // flushed, and given back by the journal
        assertThat(store.journal.records()).isZero();

        StoreFixture after = store.afterCrash();
        assertThat(after.texts(queue(1))).containsExactly("a");
    }

    @Test
    void a_removal_that_comes_behind_its_row_takes_the_row_along() {
        store.connect(0, 1);
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        store.shard(0).remove(entry);
        store.materialise();
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        store.commit();
        store.materialise();
        assertThat(store.rows(Family.QUEUES)).isZero();
        assertThat(store.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(store.shards.get(0).rows).as("what the shard has removed").isEmpty();
    }

    @Test
    void what_is_acknowledged_within_the_window_never_becomes_a_row() {
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        assertThat(entry.stored()).isEqualTo(QueuedMessage.JOURNALED);
        store.shard(0).remove(entry);
        store.commit();
        store.time.pass(5_000);

        assertThat(store.rows(Family.QUEUES)).isZero();
        assertThat(store.store.windowBytes()).isZero();
        assertThat(store.store.value(StoreMetric.ROWS)).isZero();
        assertThat(store.afterCrash().rows(Family.QUEUES)).isZero();
    }

    @Test
    void what_outlives_the_window_becomes_a_row_and_its_shard_is_told() {
        Entry entry = store.append(1, queue(1), store.message("a"));
        store.commit();
        store.time.pass(450);
        assertThat(store.rows(Family.QUEUES)).isZero();
        store.time.pass(200);

        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.shards.get(1).rows).containsExactly(entry);
        assertThat(entry.stored()).isEqualTo(QueuedMessage.ROW);
        assertThat(store.store.value(StoreMetric.QUEUED)).isEqualTo(1);

        store.shard(1).remove(entry);
        store.commit();
        store.materialise();
        assertThat(store.rows(Family.QUEUES)).isZero();
        assertThat(store.store.value(StoreMetric.QUEUED)).isZero();
    }

    @Test
    void packet_ids_and_released_handshakes_survive() {
        store.connect(0, 1);
        Entry sent = store.append(0, queue(1), store.message("sent", 2, Message.NEVER));
        sent.packetId = 9;
        store.shard(0).inFlight(sent);
        Entry received = store.append(0, queue(1), store.message("received", 2, Message.NEVER));
        received.packetId = 10;
        store.shard(0).inFlight(received);
        store.commit();
        received.message = null;
        store.shard(0).released(received);
        store.append(0, queue(1), store.message("waits"));
        store.commit();

        store = store.afterCrash();

        Page page = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(page.entries).extracting(Entry::text).containsExactly("sent", "-");
        assertThat(page.entries).extracting(each -> each.packetId).containsExactly(9, 10);
        assertThat(page.isLast).isTrue();
        assertThat(store.texts(queue(1))).containsExactly("waits");

        // The handshakes go on with what was read, and end.
        store.shard(0).released(page.entries.get(0));
        store.shard(0).remove(page.entries.get(1));
        store.commit();
        store.materialise();
        page = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(page.entries).extracting(Entry::text).containsExactly("-");
        store.shard(0).remove(page.entries.get(0));
        store.commit();
        store = store.afterCrash();
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).entries).isEmpty();
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
    }

    @Test
    void a_handshake_has_the_packet_id_that_was_given_last() {
        store.connect(0, 1);
        Entry sent = store.append(0, queue(1), store.message("a", 2, Message.NEVER));
        sent.packetId = 9;
        store.shard(0).inFlight(sent);
        store.commit();
        store.time.pass(400);
        sent.packetId = 10;
        store.shard(0).inFlight(sent);
        sent.message = null;
        store.shard(0).released(sent);
        store.commit();
        store.time.pass(250);
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1); // It has become a row before the rest.
        store.time.pass(2_000);

        Page page = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(page.entries).extracting(each -> each.packetId).containsExactly(10);
    }

    @Test
    void an_idle_row_that_is_sent_keeps_its_row_and_is_no_idle_one_any_more() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        store.append(0, queue(1), store.message("b"));
        store.commit();
        store.materialise();
        Entry a = store.read(queue(1), RowRead.Section.IDLE).entries.get(0);
        a.packetId = 3;
        store.shard(0).inFlight(a);
        store.commit();
        store.materialise();
        store = store.afterCrash();

        assertThat(store.texts(queue(1))).containsExactly("b");
        Page page = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(page.entries).extracting(Entry::text).containsExactly("a");
        assertThat(page.entries.get(0).packetId).isEqualTo(3);
        store.shard(0).remove(page.entries.get(0));
        store.commit();
        store.materialise();
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
    }

    @Test
    void a_message_of_ten_thousand_queues_stands_once_and_goes_with_its_last_row() {
        String text = "x".repeat(1024);
        Message message = store.message(text);
        for (int i = 1; i <= 10_000; i++) {
            store.connect(i % 2, i);
        }
        store.commit();
        store.materialise();
        long before = store.disk.bytesWritten;
        for (int i = 1; i <= 10_000; i++) {
            store.append(i % 2, queue(i), message);
        }
        long journalBefore = store.store.value(StoreMetric.JOURNAL_BYTES);
        store.commit();
        long journal = store.store.value(StoreMetric.JOURNAL_BYTES) - journalBefore;
        store.materialise();
        store.time.pass(100);

        assertThat(store.rows(Family.PAYLOADS)).isEqualTo(1);
        assertThat(store.rows(Family.QUEUES)).isEqualTo(10_000);
        // Of one message: at most eight payloads, and 100 bytes for each queue.
        assertThat(journal + store.disk.bytesWritten - before).isLessThan(8 * 1024 + 10_000 * 100);

        StoreFixture after = store.afterCrash();
        for (int i = 1; i <= 10_000; i++) {
            assertThat(after.rows(Family.PAYLOADS)).isEqualTo(1);
            Page page = after.read(queue(i), RowRead.Section.IDLE);
            assertThat(page.entries.get(0).text()).isEqualTo(text);
            after.shard(0).remove(page.entries.get(0));
        }
        after.commit();
        after.materialise();
        after.time.pass(100);
        assertThat(after.rows(Family.QUEUES)).isZero();
        assertThat(after.rows(Family.PAYLOADS)).isZero();
        assertThat(after.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'U');
    }

    @Test
    void a_session_that_ends_takes_everything_along_also_when_cut_short() {
        Message shared = store.message("y".repeat(5000), 1, store.time.wallMs() + 100_000);
        store.connect(0, 1);
        store.connect(0, 2);
        for (int i = 0; i < 2500; i++) {
            store.append(0, queue(1), store.message("m" + i));
        }
        store.append(0, queue(1), shared);
        store.append(0, queue(2), shared);
        store.commit();
        store.materialise();
        store.shard(0).removeSession(ClientId.of("c1"), queue(1), store.stamp());
        store.commit();
        store.store.endWindow();
        // One slice at most.
        for (int i = 0; i < 2; i++) {
            store.time.step();
        }
        store.disk.flush();
        int left = store.rows(Family.QUEUES);
        assertThat(left).isGreaterThan(1);

        store = store.afterCrash();
        store.time.pass(1_000);

        assertThat(store.recovered.sessions.keySet()).containsExactly(queue(2));
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.rows(Family.PAYLOADS)).isEqualTo(1);
        assertThat(store.rows(Family.EXPIRY)).isEqualTo(1);
        assertThat(store.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'P');
        assertThat(store.texts(queue(2))).hasSize(1);
    }

    @Test
    void what_members_have_in_flight_of_a_group_is_told_of_after_a_restart() {
        long group = queue(100);
        store.connect(0, 1);
        store.shard(0).putGroup(TopicFilter.of("$share/g/t"), 5, group);
        Entry sent = store.append(0, group, store.message("sent", 2, Message.NEVER));
        Entry back = store.append(0, group, store.message("back", 2, Message.NEVER));
        Entry got = store.append(0, group, store.message("got", 2, Message.NEVER));
        Entry waits = store.append(0, group, store.message("waits", 2, Message.NEVER));
        Receiver member =
                new Receiver(new SessionKey(queue(1), new HybridId(17, 2)), ClientId.of("member"));
        int packetId = 4;
        for (Entry each : List.of(sent, back, got)) {
            each.packetId = packetId++;
            store.shard(0).inFlightTo(each, member);
        }
        store.commit();
        store.shard(0).idleAgain(back);
        store.shard(0).putMarker(queue(1), got.messageId, got.server, 6, 1, 99);
        store.shard(0).remove(got);
        store.commit();

        for (int round = 0; round < 2; round++) { // From the journal, then from rows.
            store = store.afterCrash();
            QueueDepth depth = Objects.requireNonNull(store.recovered.groups.get(group));
            assertThat(store.recovered.parts.get(group))
                    .extracting(part -> part.number())
                    .isEqualTo(5);
            assertThat(depth.idle()).isEqualTo(2);
            assertThat(depth.inFlight()).isEqualTo(1);
            assertThat(store.recovered.inFlight.get(group))
                    .singleElement()
                    .satisfies(each -> {
                        assertThat(each.id()).isEqualTo(new HybridId(sent.messageId, sent.server));
                        assertThat(each.packetId()).isEqualTo(4);
                        assertThat(each.to()).usingRecursiveComparison().isEqualTo(member);
                    });
            assertThat(store.texts(group)).containsExactly("back", "waits");
            Page page = store.read(group, RowRead.Section.IN_FLIGHT);
            assertThat(page.entries).extracting(Entry::text).containsExactly("sent");
            assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers)
                    .containsExactly(got.messageId + " 6 1:99");
        }
        Page page = store.read(group, RowRead.Section.IN_FLIGHT);
        store.shard(0).idleAgain(page.entries.getFirst());
        store.shard(0).removeMarker(queue(1), got.messageId, got.server);
        store.commit();
        store = store.afterCrash();
        assertThat(store.recovered.inFlight.get(group)).isEmpty();
        assertThat(store.texts(group)).containsExactly("sent", "back", "waits");
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers).isEmpty();
        assertThat(waits.messageId).isPositive();
    }

    @Test
    void row_that_is_removed_unread_right_after_a_member_gave_it_back_is_gone() {
        long group = queue(100);
        store.shard(0).putGroup(TopicFilter.of("$share/g/t"), 5, group);
        Entry sent = store.append(0, group, store.message("sent", 2, Message.NEVER));
        sent.packetId = 4;
        Receiver member =
                new Receiver(new SessionKey(queue(1), new HybridId(17, 2)), ClientId.of("member"));
        store.shard(0).inFlightTo(sent, member);
        store.commit();
        store.materialise();
        sent.packetId = 0;
        store.shard(0).idleAgain(sent);
        store.shard(0).removeRow(group, sent.messageId, sent.server);
        store.commit();
        store.materialise();

        assertThat(store.rows(Family.QUEUES)).isZero();
        store = store.afterCrash();
        QueueDepth depth = Objects.requireNonNull(store.recovered.groups.get(group));
        assertThat(depth.idle()).isZero();
        assertThat(depth.inFlight()).isZero();
    }

    @Test
    void a_store_that_was_closed_has_an_empty_journal() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("a"));
        store.shard(0).commit();
        store.store.close();

        assertThat(store.journal.records()).isZero();
        store = store.afterCrash();
        assertThat(store.texts(queue(1))).containsExactly("a");
    }
}
