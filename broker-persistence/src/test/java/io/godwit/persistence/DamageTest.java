package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What can't be read closes its own queue and nothing else. */
class DamageTest {
    private final StoreFixture store = new StoreFixture();
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
        store.disk.unreadable.clear();
        assertThat(store.read(queue(1), RowRead.Section.IN_FLIGHT).markers)
                .containsExactly("6 12 7:2");
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
