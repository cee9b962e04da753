package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Family;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class ExpiredRowsTest {
    private final StoreFixture store = new StoreFixture();

    @Test
    void expired_rows_are_told_of_and_go_when_their_owner_says_so() {
        store.connect(0, 1);
        Entry a = store.append(0, queue(1), store.message("a", 1, store.time.wallMs() + 3_000));
        store.append(0, queue(1), store.message("b"));
        store.commit();
        store.materialise();
        assertThat(store.expired).isEmpty();
        store.time.pass(4_000);
        assertThat(store.expired).contains(queue(1) + ":" + a.messageId);

        store.shard(0).removeRow(queue(1), a.messageId, a.server);
        assertThat(store.texts(queue(1))).containsExactly("b");
        store.shard(0).removeRow(queue(1), a.messageId, a.server);
        store.commit();
        store.materialise();
        store.expired.clear();
        store.time.pass(3_000);

        assertThat(store.expired).isEmpty();
        assertThat(store.rows(Family.EXPIRY)).isZero();
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.store.value(StoreMetric.QUEUED)).isEqualTo(1);
    }

    @Test
    void expired_rows_of_a_session_that_is_set_aside_stay_and_are_not_told_of_for_ever() {
        store.connect(0, 1);
        store.connect(0, 2);
        long soon = store.time.wallMs() + 3_000;
        store.append(0, queue(1), store.message("a", 1, soon));
        Entry b = store.append(0, queue(2), store.message("b", 1, soon));
        store.setAside(0, 1);
        store.commit();
        store.materialise();
        store.time.pass(6_000);
        store.expired.clear();
        store.time.pass(3_000);
        assertThat(new HashSet<>(store.expired)).containsExactly(queue(2) + ":" + b.messageId);

        store.shard(0).removeRow(queue(2), b.messageId, b.server);
        store.commit();
        store.materialise();
        store.expired.clear();
        store.time.pass(3_000);
        assertThat(store.expired).isEmpty();
        assertThat(store.texts(queue(1))).containsExactly("a");
    }

    @Test
    void thousands_that_expire_at_once_are_told_of_page_by_page() {
        store.connect(0, 1);
        long soon = store.time.wallMs() + 3_000;
        for (int i = 0; i < 2500; i++) {
            store.append(0, queue(1), store.message("m", 1, soon));
        }
        store.commit();
        store.materialise();
        store.time.pass(5_000);
        assertThat(new HashSet<>(store.expired)).hasSize(2500);

        Page page = store.read(queue(1), RowRead.Section.IDLE, HybridId.NONE, 5000);
        for (Entry entry : page.entries) {
            store.shard(0).removeRow(queue(1), entry.messageId, entry.server);
        }
        // One that comes late has expired before the sweep's last walk.
        Entry late = store.append(0, queue(1), store.message("late", 1, soon - 1000));
        store.commit();
        store.materialise();
        store.expired.clear();
        store.time.pass(3_000);
        assertThat(new HashSet<>(store.expired)).containsExactly(queue(1) + ":" + late.messageId);
    }
}
