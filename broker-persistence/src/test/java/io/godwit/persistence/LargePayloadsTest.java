package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A large message that many queues have is read as seldom as can be. */
class LargePayloadsTest {
    /** More than is kept of what was read last. */
    private static final int LARGE = 5 << 20;

    private StoreFixture store = new StoreFixture();

    @BeforeEach
    void twoQueuesHaveIt() {
        Message message = store.message("x".repeat(LARGE));
        for (int i = 1; i <= 2; i++) {
            store.connect(0, i);
            store.append(0, queue(i), message);
        }
        store.commit();
        store.materialise();
        store = store.afterCrash();
        assertThat(store.rows(Family.PAYLOADS)).isOne();
    }

    @Test
    void those_who_read_it_while_somebody_has_it_get_the_same_object() {
        Entry first = store.read(queue(1), RowRead.Section.IDLE).entries.getFirst();
        Entry second = store.read(queue(2), RowRead.Section.IDLE).entries.getFirst();
        assertThat(first.text()).hasSize(LARGE);
        assertThat(second.message).isSameAs(first.message);
    }

    @Test
    void it_is_not_read_for_a_page_that_wants_no_messages() throws Exception {
        Batch batch = new Batch();
        batch.delete(Family.PAYLOADS, store.disk.rows(Family.PAYLOADS).firstKey());
        store.disk.write(batch);
        int[] bytes = {0};
        Page page =
                new Page(queue(1), RowRead.Section.IDLE, HybridId.NONE, 10) {
                    @Override
                    public boolean wantsMessages() {
                        return false;
                    }

                    @Override
                    public void row(
                            long messageId,
                            int qos,
                            boolean retain,
                            int[] ids,
                            @Nullable Message message,
                            int packetId,
                            @Nullable Object note) {
                        assertThat(message).isNull();
                        bytes[0] += rowBytes;
                    }
                };
        store.shard(0).read(page);
        while (!page.isRead && store.time.step()) {}
        assertThat(page.failure).isNull();
        assertThat(bytes[0]).isGreaterThan(LARGE);
        assertThat(store.read(queue(1), RowRead.Section.IDLE).failure).isNotNull();
    }
}
