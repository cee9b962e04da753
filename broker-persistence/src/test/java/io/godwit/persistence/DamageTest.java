package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What can't be read closes its own queue and nothing else. */
class DamageTest {
    private StoreFixture store = new StoreFixture();
    private Entry damaged = new Entry(0, 0, null, 1);

    @BeforeEach
    void start() {
        store.connect(0, 1);
        store.connect(0, 2);
        damaged = store.append(0, queue(1), store.message("lost"));
        store.append(0, queue(2), store.message("kept"));
        store.commit();
        store.materialise();
        store.disk.unreadable.add(queue(1));
    }

    private void assertTheRestGoesOn() {
        assertThat(store.failure).isNull();
        store.append(0, queue(2), store.message("new"));
        store.commit();
        store.materialise();
        assertThat(store.texts(queue(2))).containsExactly("kept", "new");
        assertThat(store.failure).isNull();
        assertThat(store.store.value(StoreMetric.DAMAGED)).isEqualTo(1);
        assertThat(store.store.damage()).containsExactly("a block is damaged");
    }

    @Test
    void a_page_that_cannot_be_read_is_told_to_whoever_asked() {
        assertThat(store.store.damage()).isEmpty();
        for (int i = 0; i < 3; i++) {
            Page page = store.read(queue(1), RowRead.Section.IDLE);
            assertThat(page.failure).isInstanceOf(Unreadable.class);
        }
        assertTheRestGoesOn();
    }

    @Test
    void a_row_that_is_removed_unread_stays_where_it_is() {
        store.shard(0).removeRow(queue(1), damaged.messageId, damaged.server);
        store.commit();
        store.materialise();
        assertTheRestGoesOn();
        assertThat(store.disk.rows(Family.QUEUES)).hasSize(3);
    }

    @Test
    void a_row_that_is_removed_unread_is_shown_no_more_and_goes_when_it_can_be_read() {
        store.append(0, queue(1), store.message("behind it"));
        store.shard(0).removeRow(queue(1), damaged.messageId, damaged.server);
        store.commit();
        store.materialise();
        store.disk.unreadable.clear();
        assertThat(store.texts(queue(1))).containsExactly("behind it");

        store.time.pass(2_000);
        store.append(0, queue(1), store.message("later"));
        store.commit();
        store.materialise();
        assertThat(store.texts(queue(1))).containsExactly("behind it", "later");
        assertThat(store.disk.rows(Family.QUEUES)).hasSize(3); // with that of the other queue
        assertThat(store.store.value(StoreMetric.QUEUED)).isEqualTo(3);
        assertThat(store.failure).isNull();
    }

    @Test
    void markers_of_groups_entries_come_and_go_though_it_cannot_be_read_whether_they_stand() {
        store.shard(0).putMarker(queue(1), 5, 7, 11, 7, 1);
        store.shard(0).putMarker(queue(1), 6, 7, 12, 7, 2);
        store.commit();
        store.materialise();
        store.shard(0).removeMarker(queue(1), 5, 7);
        store.commit();
        store.materialise();
        assertTheRestGoesOn();
        Page closed = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(closed.failure).isInstanceOf(Unreadable.class);
        store.disk.unreadable.clear();
        store.time.pass(2_000);
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers)
                .containsExactly("6 12 7:2");
        assertThat(depthAfterStart().inFlight()).isEqualTo(1);
    }

    @Test
    void markers_that_stand_already_are_counted_once_though_they_could_not_be_read_meanwhile() {
        store.disk.unreadable.clear();
        store.shard(0).putMarker(queue(1), 5, 7, 11, 7, 1);
        store.shard(0).putMarker(queue(1), 6, 7, 12, 7, 2);
        store.commit();
        store.materialise();
        store.disk.unreadable.add(queue(1));
        store.shard(0).putMarker(queue(1), 5, 7, 13, 7, 1);
        store.shard(0).removeMarker(queue(1), 6, 7);
        store.commit();
        store.materialise();

        assertThat(depthAfterStart().inFlight()).isEqualTo(1);
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers)
                .containsExactly("5 13 7:1");
    }

    @Test
    void a_marker_that_can_not_be_put_at_a_start_either_is_told_of() {
        store.shard(0).putMarker(queue(1), 5, 7, 11, 7, 1);
        store.commit();
        store.materialise();
        store.time.pass(20_000);
        MemoryDisk disk = store.disk.crashed();
        disk.unreadable.add(queue(1));
        store = store.afterCrash(disk);
        assertThat(store.recovered.depth(queue(1)).inFlight()).isEqualTo(1);
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).failure)
                .isInstanceOf(Unreadable.class);

        store.disk.unreadable.clear();
        store.time.pass(2_000);
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers)
                .containsExactly("5 11 7:1");
        assertThat(depthAfterStart().inFlight()).isEqualTo(1);
    }

    @Test
    void a_row_that_is_removed_unread_does_not_come_back_with_a_start() {
        store.append(0, queue(1), store.message("behind it"));
        store.shard(0).removeRow(queue(1), damaged.messageId, damaged.server);
        store.commit();
        store.materialise();

        assertThat(depthAfterStart().idle()).isEqualTo(1);
        assertThat(store.texts(queue(1))).containsExactly("behind it");
        assertThat(store.disk.rows(Family.QUEUES)).hasSize(2); // with that of the other queue
    }

    /** The rows are flushed; what is told of them now is in the journal alone. */
    private Entry sentRow() {
        store.disk.unreadable.clear();
        Entry row = store.append(0, queue(1), store.message("sent", 2, Message.NEVER));
        store.commit();
        store.materialise();
        store.time.pass(20_000);
        assertThat(store.journal.records()).isZero();
        return row;
    }

    private List<String> inFlight() {
        return store.read(queue(1), RowRead.Section.IN_FLIGHT).entries.stream()
                .map(each -> each.text() + " " + each.packetId)
                .toList();
    }

    /** A start that can't read the queue's rows; then they can be read. */
    private void startUnreadable() {
        MemoryDisk disk = store.disk.crashed();
        disk.unreadable.add(queue(1));
        store = store.afterCrash(disk);
        assertThat(store.recovered.session(queue(1)).queue()).isNotNull();
        for (RowRead.Section each : RowRead.Section.values()) {
            assertThat(store.read(queue(1), each).failure).isInstanceOf(Unreadable.class);
        }
        store.disk.unreadable.clear();
        for (RowRead.Section each : RowRead.Section.values()) {
            assertThat(store.read(queue(1), each).failure)
                    .as("before the row worker has seen to it")
                    .isInstanceOf(Unreadable.class);
        }
    }

    @Test
    void what_was_taken_in_is_gone_though_the_start_could_not_read_its_row() {
        Entry row = sentRow();
        row.packetId = 5;
        store.shard(0).inFlight(row);
        store.shard(0).remove(row);
        store.commit();
        startUnreadable();
        store.time.pass(2_000);
        assertThat(store.texts(queue(1))).containsExactly("lost");
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).entries).isEmpty();
        assertThat(depthAfterStart().idle()).isEqualTo(1);
        assertThat(store.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'X');
    }

    @Test
    void what_was_sent_keeps_its_packet_id_though_the_start_could_not_read_its_row() {
        Entry row = sentRow();
        row.packetId = 5;
        store.shard(0).inFlight(row);
        store.commit();
        startUnreadable();
        assertThat(store.recovered.depth(queue(1)).inFlight()).isEqualTo(1);
        store.time.pass(2_000);
        assertThat(store.texts(queue(1))).containsExactly("lost");
        assertThat(inFlight()).containsExactly("sent 5");
        assertThat(depthAfterStart().inFlight()).isEqualTo(1);
    }

    @Test
    void what_the_client_has_got_is_not_sent_again_though_two_starts_could_not_read_its_row() {
        Entry row = sentRow();
        row.packetId = 5;
        store.shard(0).inFlight(row);
        store.commit();
        startUnreadable();
        MemoryDisk disk = store.disk.crashed();
        disk.unreadable.add(queue(1));
        store = store.afterCrash(disk);
        assertThat(store.recovered.depth(queue(1)).inFlight()).isEqualTo(1);
        assertThat(store.read(queue(1), RowRead.Section.IDLE).failure)
                .isInstanceOf(Unreadable.class);
        store.disk.unreadable.clear();
        store.time.pass(2_000);
        assertThat(store.texts(queue(1))).containsExactly("lost");
        assertThat(inFlight()).containsExactly("sent 5");
    }

    @Test
    void what_has_its_pubrec_is_a_marker_though_the_start_could_not_read_its_row() {
        Entry row = sentRow();
        row.packetId = 5;
        store.shard(0).inFlight(row);
        store.commit();
        row.dropMessage();
        store.shard(0).released(row);
        store.commit();
        startUnreadable();
        store.time.pass(2_000);
        assertThat(store.texts(queue(1))).containsExactly("lost");
        assertThat(inFlight()).containsExactly("- 5");
        Entry marker = store.read(queue(1), RowRead.Section.IN_FLIGHT).entries.get(0);
        assertThat(marker.ingressCounter()).isEqualTo(row.ingressCounter());
    }

    @Test
    void what_is_to_become_of_rows_of_a_session_that_has_ended_is_forgotten() {
        store.shard(0).removeRow(queue(1), damaged.messageId, damaged.server);
        store.shard(0).putMarker(queue(1), 5, 7, 11, 7, 1);
        store.commit();
        store.materialise();
        store.shard(0).removeSession(ClientId.of("c1"), queue(1), new HybridId(store.nextId(), 7));
        store.commit();
        store.materialise();
        store.disk.unreadable.clear();
        store.time.pass(5_000);
        assertThat(store.disk.rows(Family.QUEUES)).hasSize(1); // that of the other queue
        assertThat(store.disk.rows(Family.META).keySet())
                .noneMatch(key -> key[0] == 'W' || key[0] == 'P');
    }

    /** Everything is flushed, the power goes, and all can be read again. */
    private QueueDepth depthAfterStart() {
        store.time.pass(20_000);
        store = store.afterCrash();
        QueueDepth depth = store.recovered.session(queue(1)).queue();
        assertThat(depth).isNotNull();
        return depth;
    }

    @Test
    void a_session_that_ends_leaves_its_damaged_rows() {
        store.shard(0).removeSession(ClientId.of("c1"), queue(1), new HybridId(store.nextId(), 7));
        store.commit();
        store.materialise();
        store.time.pass(5_000);
        assertTheRestGoesOn();
    }
}
