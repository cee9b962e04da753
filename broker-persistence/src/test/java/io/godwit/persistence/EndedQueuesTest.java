package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions come and go by the million: what is remembered of their queues goes with them. */
class EndedQueuesTest {
    private StoreFixture store = new StoreFixture();

    private QueueHandle handle(int number) {
        return Objects.requireNonNull(store.shard(0).handle(queue(number)));
    }

    private void end(int number) {
        store.shard(0).removeSession(ClientId.of("c" + number), queue(number), store.stamp());
    }

    private void settle() {
        store.commit();
        store.materialise();
        store.time.pass(5_000);
    }

    @Test
    void nothing_is_remembered_of_a_thousand_sessions_that_have_ended() {
        for (int i = 1; i <= 1_000; i++) {
            store.connect(0, i);
            store.append(0, queue(i), store.message("m"));
        }
        settle();
        assertThat(store.store.knownQueues()).isEqualTo(1_000);
        for (int i = 2; i <= 1_000; i++) {
            end(i);
        }
        settle();
        assertThat(store.store.knownQueues()).isEqualTo(1);
        assertThat(store.texts(queue(1))).containsExactly("m");
        assertThat(store.failure).isNull();
    }

    @Test
    void who_still_has_one_that_has_ended_has_the_only_one() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("m"));
        settle();
        QueueHandle before = handle(1);
        end(1);
        settle();
        assertThat(store.store.knownQueues()).isZero();
        assertThat(handle(1)).isSameAs(before);
        assertThat(store.store.knownQueues()).isZero();
    }

    @Test
    void a_session_that_is_kept_again_goes_on_with_what_is_known_of_its_queue() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("m"));
        settle();
        QueueHandle before = handle(1);
        end(1);
        settle();
        store.connect(0, 1);
        settle();
        assertThat(store.store.knownQueues()).isEqualTo(1);
        assertThat(handle(1)).isSameAs(before);
    }

    @Test
    void one_that_is_kept_again_while_its_rows_are_deleted_stays_known() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("m"));
        settle();
        end(1);
        store.connect(0, 1); // As for a will that is owed.
        settle();
        assertThat(store.store.knownQueues()).isEqualTo(1);
        end(1);
        settle();
        assertThat(store.store.knownQueues()).isZero();
    }

    @Test
    void session_that_is_put_again_at_once_keeps_what_comes_after_that() {
        store.connect(0, 1);
        store.remember(0, store.append(0, queue(1), store.message("before")));
        Entry sent = store.append(0, queue(1), store.message("sent", 2, Message.NEVER));
        store.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        store.commit();
        store.materialise();
        sent.packetId = 4;
        store.shard(0).inFlight(sent);
        end(1);
        store.connect(0, 1);
        beginAgain();
        settle();
        assertBegunAgain();
        store = store.afterCrash();
        assertBegunAgain();
        assertThat(store.recovered.depth(queue(1)).idle()).isEqualTo(1);
        assertThat(store.recovered.depth(queue(1)).inFlight()).isEqualTo(2);
        assertThat(store.recovered.depth(queue(1)).idleBytes()).isPositive();
        end(1);
        settle();
        assertThat(store.rows(Family.QUEUES)).isZero();
        assertThat(remembered()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void session_that_is_put_again_while_its_rows_are_deleted_keeps_what_comes_after_that(
            int slices) {
        store.connect(0, 1);
        for (int i = 0; i < 2_500; i++) {
            store.append(0, queue(1), store.message("before"));
        }
        settle();
        end(1);
        store.commit();
        store.store.endWindow();
        int left = Math.max(0, 2_500 - slices * 1_000);
        for (int i = 0; store.rows(Family.QUEUES) > left && i < 100; i++) {
            store.time.step();
        }
        store.connect(0, 1);
        beginAgain();
        settle();
        assertBegunAgain();
        store = store.afterCrash();
        assertBegunAgain();
    }

    @Test
    void session_that_is_put_again_keeps_what_comes_after_that_when_the_disk_has_only_its_end() {
        store.disk.flushEvery = 1;
        store.connect(0, 1);
        store.append(0, queue(1), store.message("before"));
        settle();
        List<MemoryDisk> left = new ArrayList<>();
        store.disk.beforeWrite =
                () -> {
                    MemoryDisk now = store.disk.crashed();
                    if (isPurging(now)) {
                        left.add(now);
                    }
                };
        end(1);
        store.commit();
        store.materialise();
        assertThat(left).isNotEmpty();
        store.connect(0, 1);
        beginAgain();
        store.commit();
        store = store.afterCrash(left.getFirst());
        settle();
        assertBegunAgain();
    }

    private static boolean isPurging(MemoryDisk disk) {
        return !disk.rows(Family.META).subMap(new byte[] {'P'}, new byte[] {'P' + 1}).isEmpty();
    }

    @Test
    void session_that_is_put_again_twice_keeps_what_comes_after_the_last_time() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("before"));
        end(1);
        store.connect(0, 1);
        store.remember(0, store.append(0, queue(1), store.message("between")));
        store.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        end(1);
        store.connect(0, 1);
        beginAgain();
        settle();
        assertBegunAgain();
        store = store.afterCrash();
        assertBegunAgain();
    }

    /** Gives the queue one entry that waits, one that is in flight, and a marker. */
    private void beginAgain() {
        store.remember(0, store.append(0, queue(1), store.message("after")));
        Entry sent = store.append(0, queue(1), store.message("sent again", 2, Message.NEVER));
        sent.packetId = 6;
        store.shard(0).inFlight(sent);
        store.shard(0).putMarker(queue(1), 6, 9, 5, 7, 13);
    }

    private void assertBegunAgain() {
        assertThat(store.failure).isNull();
        assertThat(store.texts(queue(1))).containsExactly("after");
        StoreFixture.Page page = store.read(queue(1), RowRead.Section.IN_FLIGHT);
        assertThat(page.entries).extracting(Entry::text).containsExactly("sent again");
        assertThat(page.markers).containsExactly("6 5 7:13");
        assertThat(remembered()).isEqualTo(1);
    }

    /** A cursor that begins there again walks over all that was deleted before. */
    @Test
    void what_a_queue_has_remembered_goes_in_slices_that_begin_where_the_last_one_ended() {
        store.connect(0, 1);
        store.connect(0, 2);
        for (int i = 0; i < 3_500; i++) {
            store.remember(0, store.append(0, queue(1 + i % 7 / 6), store.message("m")));
        }
        settle();
        Set<String> begins = new LinkedHashSet<>();
        AtomicInteger scans = new AtomicInteger();
        store.disk.onScan =
                (family, from) -> {
                    if (family == Family.META && from[0] == 'R') {
                        scans.incrementAndGet();
                        begins.add(HexFormat.of().formatHex(from));
                    }
                };
        end(1);
        settle();
        assertThat(remembered()).isEqualTo(500);
        assertThat(scans).hasValueGreaterThanOrEqualTo(3).hasValue(begins.size());
        assertThat(List.copyOf(begins)).isSorted();
        end(2);
        settle();
        assertThat(remembered()).isZero();
        assertThat(store.failure).isNull();
    }

    private int remembered() {
        return store.disk.rows(Family.META).subMap(new byte[] {'R'}, new byte[] {'R' + 1}).size();
    }
}
