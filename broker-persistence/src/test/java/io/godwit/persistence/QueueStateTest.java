package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.ShardStore;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue's handle: what it holds at a moment, and when its replica set is kept. */
class QueueStateTest {
    private StoreFixture store = new StoreFixture();

    private static final class Told implements QueueState.Reader {
        @Nullable QueueState state;
        @Nullable Throwable failure;

        @Override
        public void onState(QueueState told) {
            state = told;
        }

        @Override
        public void onFailed(Throwable cause) {
            failure = cause;
        }
    }

    private QueueState state(long queueId) {
        Told told = new Told();
        store.shard(0).describe(queueId, told);
        while (told.state == null && store.time.step()) {}
        if (told.state == null) {
            throw new AssertionError("no answer", told.failure);
        }
        return told.state;
    }

    @Test
    void what_waits_in_the_window_counts_as_what_is_a_row_does() throws DiskFailure {
        store.connect(0, 1);
        Entry first = store.append(0, queue(1), store.message("first"));
        Entry sent = store.append(0, queue(1), store.message("sent", 2, Message.NEVER));
        sent.packetId = 3;
        store.shard(0).inFlight(sent);
        store.commit();

        QueueState inWindow = state(queue(1));

        store.materialise();
        QueueState asRows = state(queue(1));
        assertThat(asRows.digest().isSame(inWindow.digest())).isTrue();
        assertThat(asRows.idle()).isEqualTo(1).isEqualTo(inWindow.idle());
        assertThat(asRows.inFlight()).isEqualTo(1).isEqualTo(inWindow.inFlight());
        assertThat(asRows.bytes()).isEqualTo(first.bytes).isEqualTo(inWindow.bytes());
        assertThat(asRows.last()).isEqualTo(new HybridId(sent.messageId, 7));
        assertThat(asRows.coverage()).isEqualTo(inWindow.coverage());
        assertThat(asRows.coverage().covers(first.messageId, 7)).isTrue();
        assertThat(asRows.coverage().covers(sent.messageId, 7)).isTrue();
        assertThat(asRows.coverage().covers(sent.messageId + 1, 7)).isFalse();
        // The same after a start.
        StoreFixture again = store.afterCrash();
        assertThat(again.store.coverage(queue(1))).isEqualTo(asRows.coverage());
    }

    @Test
    void what_it_remembers_and_what_its_session_has_got_of_groups_is_in_the_digest() {
        store.connect(0, 1);
        Entry entry = store.append(0, queue(1), store.message("m", 2, Message.NEVER));
        store.commit();
        QueueState before = state(queue(1));
        Remembered ingress = store.remember(0, entry);
        store.shard(0).putMarker(queue(1), 77, 9, 5, 7, 12);
        store.commit();

        QueueState inWindow = state(queue(1));
        store.materialise();
        QueueState asRows = state(queue(1));
        store.disk.flush();
        store = store.afterCrash();
        QueueState again = state(queue(1));

        assertThat(inWindow.digest().isSame(before.digest())).isFalse();
        for (QueueState each : List.of(inWindow, asRows, again)) {
            assertThat(each.digest().isSame(inWindow.digest())).isTrue();
            assertThat(each.remembered()).isEqualTo(1);
            assertThat(each.inFlight()).isEqualTo(1);
        }
        store.shard(0).forget(copy(ingress));
        store.shard(0).removeMarker(queue(1), 77, 9);
        store.commit();
        QueueState gone = state(queue(1));
        store.materialise();
        QueueState goneAsRows = state(queue(1));
        assertThat(gone.digest().isSame(before.digest())).isTrue();
        assertThat(goneAsRows.digest().isSame(before.digest())).isTrue();
        assertThat(goneAsRows.remembered()).isZero();
        assertThat(goneAsRows.inFlight()).isZero();
    }

    @Test
    void what_is_kept_late_below_what_came_after_it_is_covered() throws DiskFailure {
        store.connect(0, 1);
        long first = store.nextId();
        long second = store.nextId();
        Entry third = store.append(0, queue(1), store.message("third"));
        store.commit();
        store.append(0, new Entry(queue(1), second, store.message("second"), 1));
        store.commit();
        store.append(0, new Entry(queue(1), first, store.message("first"), 1));
        Entry last = store.append(0, queue(1), store.message("last"));
        store.commit();

        QueueState inWindow = state(queue(1));
        store.materialise();
        QueueState asRows = state(queue(1));
        store.materialise();
        StoreFixture again = store.afterCrash();

        for (Coverage each :
                List.of(inWindow.coverage(), asRows.coverage(), again.store.coverage(queue(1)))) {
            for (long id : new long[] {first, second, third.messageId, last.messageId}) {
                assertThat(each.covers(id, 7)).as("%s in %s", id, each).isTrue();
            }
            assertThat(each.covers(first - 1, 7)).isFalse();
            assertThat(each.covers(last.messageId + 1, 7)).isFalse();
        }
        assertThat(asRows.idle()).isEqualTo(4);
        assertThat(asRows.last()).isEqualTo(new HybridId(last.messageId, 7));
    }

    /** As a start has told of it. */
    private static Remembered copy(Remembered of) {
        Remembered copy =
                new Remembered(
                        of.queueId, of.clock, of.server, of.ingressServer, of.ingressCounter);
        copy.kept = Remembered.ON_DISK;
        return copy;
    }

    @Test
    void another_packet_id_of_what_was_got_is_another_digest() {
        store.connect(0, 1);
        store.shard(0).putMarker(queue(1), 77, 9, 5, 7, 12);
        store.commit();
        QueueState five = state(queue(1));
        store.materialise();
        store.shard(0).putMarker(queue(1), 77, 9, 6, 7, 12);
        store.commit();
        QueueState six = state(queue(1));
        store.materialise();
        QueueState asRows = state(queue(1));
        assertThat(six.digest().isSame(five.digest())).isFalse();
        assertThat(asRows.digest().isSame(six.digest())).isTrue();
        assertThat(asRows.inFlight()).isEqualTo(1);
    }

    @Test
    void what_could_not_be_changed_since_it_could_not_be_read_counts_as_changed() {
        store.connect(0, 1);
        Entry gone = store.append(0, queue(1), store.message("gone"));
        store.append(0, queue(1), store.message("stays"));
        store.shard(0).putMarker(queue(1), 76, 9, 4, 7, 11);
        store.shard(0).putMarker(queue(1), 77, 9, 5, 7, 12);
        store.commit();
        store.materialise();
        store.disk.unreadable.add(queue(1));
        store.shard(0).removeRow(queue(1), gone.messageId, gone.server);
        store.shard(0).removeMarker(queue(1), 76, 9);
        store.shard(0).putMarker(queue(1), 77, 9, 6, 7, 12);
        store.shard(0).putMarker(queue(1), 78, 9, 7, 7, 13);
        store.commit();
        store.materialise();
        store.disk.unreadable.clear();

        QueueState deferred = state(queue(1));
        store.time.pass(2_000);
        QueueState done = state(queue(1));

        for (QueueState each : List.of(deferred, done)) {
            assertThat(each.idle()).isEqualTo(1);
            assertThat(each.inFlight()).isEqualTo(2);
            assertThat(each.bytes()).isEqualTo(done.bytes());
            assertThat(each.digest().isSame(done.digest())).isTrue();
        }
    }

    @Test
    void rows_that_were_read_back_and_removed_are_gone_at_once_whatever_was_said_of_them_before() {
        store.connect(0, 1);
        store.append(0, queue(1), store.message("stays"));
        store.append(0, queue(1), store.message("read"));
        store.append(0, queue(1), store.message("sent"));
        store.append(0, queue(1), store.message("expires", 1, Long.MAX_VALUE / 2));
        store.commit();
        store.materialise();
        List<Entry> read = store.read(queue(1), RowRead.Section.IDLE).entries;
        Entry sent = read.get(2);
        sent.packetId = 5;
        store.shard(0).inFlight(sent);
        store.commit();
        for (Entry entry : read.subList(1, 4)) {
            store.shard(0).remove(entry);
        }
        store.commit();
        store.time.pass(100); // They come into the window, and wait there.

        QueueState inWindow = state(queue(1));
        store.materialise();
        QueueState asRows = state(queue(1));

        for (QueueState each : List.of(inWindow, asRows)) {
            assertThat(each.idle()).isEqualTo(1);
            assertThat(each.inFlight()).isZero();
            assertThat(each.bytes()).isEqualTo(read.get(0).bytes);
            assertThat(each.digest().isSame(inWindow.digest())).isTrue();
        }
        assertThat(store.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(store.rows(Family.EXPIRY)).isZero();
        assertThat(store.texts(queue(1))).containsExactly("stays");
    }

    @Test
    void only_so_many_wait_to_be_answered() {
        store.connect(0, 1);
        List<QueueState> answered = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        QueueState.Reader reader =
                new QueueState.Reader() {
                    @Override
                    public void onState(QueueState state) {
                        answered.add(state);
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        refused.add(cause);
                    }
                };
        for (int i = 0; i < QueueStates.ASKED_MAX + 3; i++) {
            store.shard(0).describe(queue(1), reader);
        }
        assertThat(refused).hasSize(3);
        store.time.pass(1_000);
        assertThat(answered).hasSize(QueueStates.ASKED_MAX);
        assertThat(refused).hasSize(3);
    }

    @Test
    void what_died_in_the_window_is_covered_and_not_counted() {
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        store.shard(0).remove(entry);
        store.commit();
        store.time.pass(1_000);

        QueueState state = state(queue(1));

        assertThat(state.idle()).isZero();
        assertThat(state.bytes()).isZero();
        assertThat(state.digest().isSame(new Digest())).isTrue();
        assertThat(state.coverage().covers(entry.messageId, 7)).isTrue();
        assertThat(state.last()).isEqualTo(new HybridId(entry.messageId, 7));
    }

    @Test
    void a_removal_that_is_not_written_yet_has_not_happened_yet() {
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        store.shard(0).remove(entry);
        store.time.pass(500);

        assertThat(state(queue(1)).idle()).isEqualTo(1);
        store.commit();
        assertThat(state(queue(1)).idle()).isZero();
    }

    @Test
    void whoever_asks_is_answered_when_the_store_closes() {
        Told told = new Told();
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.store.close();
        store.shard(0).describe(queue(1), told);
        store.time.pass(10);

        assertThat(told.failure).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void the_digest_of_a_moment_is_that_of_what_the_queue_holds(long seed) {
        Random random = new Random(seed);
        List<Entry> entries = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            int what = random.nextInt(10);
            if (what < 4 || entries.isEmpty()) {
                entries.add(store.append(0, queue(1), store.message("m" + step, 2, Message.NEVER)));
            } else {
                Entry entry = entries.get(random.nextInt(entries.size()));
                if (what < 6 && entry.message != null) {
                    entry.packetId = 1 + random.nextInt(100);
                    store.shard(0).inFlight(entry);
                } else if (what < 7 && entry.packetId != 0) {
                    entry.message = null;
                    store.shard(0).released(entry);
                } else if (what < 9) {
                    store.shard(0).remove(entry);
                    entries.remove(entry);
                }
            }
            if (random.nextInt(4) == 0) {
                store.commit();
            }
            if (random.nextInt(12) == 0) {
                store.time.pass(random.nextInt(3_000));
            }
            if (random.nextInt(8) == 0) {
                store.commit();
                check(entries);
            }
        }
    }

    private void check(List<Entry> entries) {
        Digest digest = new Digest();
        long idle = 0;
        for (Entry entry : entries) {
            int status =
                    entry.packetId == 0
                            ? Digest.IDLE
                            : entry.message == null ? Digest.RELEASED : Digest.IN_FLIGHT;
            digest.add(entry.messageId, 7, status, entry.packetId);
            idle += status == Digest.IDLE ? 1 : 0;
        }
        QueueState state = state(queue(1));
        assertThat(state.idle()).isEqualTo(idle);
        assertThat(state.inFlight()).isEqualTo(entries.size() - idle);
        assertThat(state.digest().isSame(digest)).isTrue();
    }

    @Test
    void a_replica_set_waits_for_commits_with_its_own_operations_only() {
        ShardStore shard = store.shard(0);
        shard.handle(queue(1));
        Objects.requireNonNull(shard.handle(queue(2))).copySet = 1;
        assertThat(shard.lastCommit(0)).isZero();
        store.append(0, queue(1), store.message("a"));
        assertThat(shard.lastCommit(0)).isEqualTo(1);
        assertThat(shard.lastCommit(1)).isZero();
        shard.commit();
        Entry other = store.append(0, queue(2), store.message("b"));
        assertThat(shard.lastCommit(0)).isEqualTo(1);
        assertThat(shard.lastCommit(1)).isEqualTo(2);
        store.commit();
        store.connect(0, 1);
        assertThat(shard.lastCommit(0)).isEqualTo(3);
        shard.commit();
        shard.remove(other);
        shard.putRetained(store.message("retained"), store.stamp());
        assertThat(shard.lastCommit(0)).isEqualTo(3);
        assertThat(shard.lastCommit(1)).isEqualTo(4);
        assertThat(other.queue).isNotNull().extracting(each -> each.copySet).isEqualTo(1);
        assertThat(other.stored()).isNotEqualTo(QueuedMessage.FREE);
    }
}
