package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Room that deleted rows take is given back, and nobody waits for it. */
class CompactionTest {
    private static final long GIB = 1L << 30;

    private final StoreFixture store = new StoreFixture();

    /** Ten rows of each of these queues. */
    private List<List<Entry>> rows(int queues) {
        List<List<Entry>> entries = new ArrayList<>();
        for (int queue = 1; queue <= queues; queue++) {
            store.connect(0, queue);
            List<Entry> of = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                of.add(store.append(0, queue(queue), store.message("m" + i)));
            }
            entries.add(of);
        }
        store.commit();
        store.materialise();
        return entries;
    }

    private void drain(List<Entry> entries) {
        entries.forEach(store.shard(0)::remove);
        store.commit();
        store.materialise();
    }

    private List<KeyRange> compacted(Family family) {
        return store.disk.compactions.stream()
                .filter(each -> each.getKey() == family)
                .map(Map.Entry::getValue)
                .toList();
    }

    @Test
    void only_the_keys_of_drained_queues_are_written_anew() {
        List<List<Entry>> entries = rows(6);
        for (int queue : new int[] {1, 2, 4, 6}) {
            drain(entries.get(queue - 1));
        }
        drain(entries.get(4).subList(0, 4)); // more is left than is gone
        store.disk.bytesOf = (family, range) -> 1000L;
        store.store.onDiskRoom(GIB, true);
        store.time.pass(4_000);

        assertThat(compacted(Family.QUEUES))
                .map(each -> Keys.longAt(each.from(), 0) + " " + Keys.longAt(each.to(), 0))
                .containsExactly(
                        queue(1) + " " + queue(2),
                        queue(4) + " " + queue(4),
                        queue(6) + " " + queue(6));
        assertThat(compacted(Family.PAYLOADS)).isEmpty();
        store.time.pass(60_000);
        assertThat(compacted(Family.QUEUES)).as("once").hasSize(3);
    }

    @Test
    void a_queue_that_has_lost_exactly_half_of_its_rows_is_written_anew() {
        drain(rows(1).get(0).subList(0, 5));
        store.disk.bytesOf = (family, range) -> 1000L;
        store.store.onDiskRoom(GIB, true);
        store.time.pass(4_000);
        assertThat(compacted(Family.QUEUES)).hasSize(1);
        store.time.pass(60_000);
        assertThat(compacted(Family.QUEUES)).as("once").hasSize(1);
    }

    @Test
    void payloads_that_are_gone_give_their_room_back() {
        store.connect(0, 1);
        Message large = store.message("x".repeat(5000));
        Entry entry = store.append(0, queue(1), large);
        store.commit();
        store.materialise();
        drain(List.of(entry));
        store.disk.bytesOf = (family, range) -> 1000L;
        store.store.onDiskRoom(GIB, true);
        store.time.pass(4_000);
        assertThat(compacted(Family.PAYLOADS))
                .singleElement()
                .satisfies(each -> {
                    byte[] key = Keys.payload(large.ingressServer, large.ingressCounter);
                    assertThat(each.from()).isEqualTo(key);
                    assertThat(each.to()).isEqualTo(Keys.successor(key));
                });
    }

    @Test
    void a_flush_that_frees_the_journal_does_not_wait_for_it() {
        drain(rows(1).get(0));
        store.disk.bytesOf = (family, range) -> 1000L;
        AtomicBoolean flushed = new AtomicBoolean();
        store.disk.whileCompacting =
                () -> {
                    store.disk.whileCompacting = () -> {};
                    store.connect(0, 9);
                    Thread other =
                            Thread.ofPlatform()
                                    .daemon()
                                    .start(() -> {
                                        store.commit();
                                        store.materialise();
                                        store.time.pass(11_000);
                                        flushed.set(store.journal.records() == 0);
                                    });
                    join(other);
                };
        store.store.onDiskRoom(GIB, true);
        store.time.pass(4_000);
        assertThat(flushed).isTrue();
        assertThat(store.failure).isNull();
    }

    private static void join(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void what_the_disk_has_no_room_for_is_done_in_slices_or_not_begun() {
        drain(rows(1).get(0));
        store.disk.bytesOf =
                (family, range) -> family == Family.QUEUES ? share(range, 3 * GIB) : 0L;
        store.store.onDiskRoom(100 << 20, true);
        store.time.pass(4_000);

        List<KeyRange> slices = compacted(Family.QUEUES);
        assertThat(slices).hasSizeGreaterThan(30);
        KeyRange before = null;
        for (KeyRange each : slices) {
            assertThat(share(each, 3 * GIB)).isBetween(1L, 100L << 20);
            assertThat(each.from())
                    .isEqualTo(before == null ? Keys.rowsStart(queue(1)) : before.to());
            before = each;
        }
        assertThat(slices.getLast().to()).isEqualTo(Keys.rowsEnd(queue(1), Keys.IDLE));

        store.disk.compactions.clear();
        store.store.onDiskRoom(1 << 20, true);
        drain(rows(1).get(0));
        store.time.pass(4_000);
        assertThat(compacted(Family.QUEUES)).as("a file is larger than the room").isEmpty();
    }

    /** Bytes of a range when the queue's are spread evenly over its keys. */
    private static long share(KeyRange range, long all) {
        BigInteger whole =
                number(Keys.rowsEnd(queue(1), Keys.IDLE))
                        .subtract(number(Keys.rowsStart(queue(1))));
        return number(range.to())
                .subtract(number(range.from()))
                .multiply(BigInteger.valueOf(all))
                .divide(whole)
                .longValueExact();
    }

    private static BigInteger number(byte[] key) {
        return new BigInteger(1, Arrays.copyOf(key, 24));
    }
}
