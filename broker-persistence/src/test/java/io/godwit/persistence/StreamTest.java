package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.window.PartOps;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one store writes goes into another one as it is. */
class StreamTest {
    private static final int OTHER = 9;
    private static final int QUEUES = 3;

    private record Sent(long position, int copySet, byte[] body) {}

    private final StoreFixture leader = new StoreFixture(OTHER);
    private final List<Sent> stream = new ArrayList<>();
    private StoreFixture copy = new StoreFixture();
    private int shipped;

    StreamTest() {
        leader.store.ship((position, set, body) -> stream.add(new Sent(position, set, body)));
    }

    private void ship(int upTo) {
        for (; shipped < upTo; shipped++) {
            Sent each = stream.get(shipped);
            copy.shard(1).apply(OTHER, 1, each.position, each.body);
        }
        copy.commit();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void copy_has_the_state_and_the_rows_of_its_leader(long seed) throws DiskFailure {
        Random random = new Random(seed);
        List<Entry> alive = new ArrayList<>();
        for (int number = 1; number <= QUEUES; number++) {
            leader.connect(0, number);
        }
        leader.commit();
        for (int step = 0; step < 400; step++) {
            work(random, alive);
            if (random.nextInt(3) == 0) {
                leader.commit();
            }
            if (random.nextInt(20) == 0) {
                leader.time.pass(random.nextInt(3_000));
            }
            if (random.nextInt(20) == 0) {
                copy.time.pass(random.nextInt(3_000));
            }
            if (random.nextInt(5) == 0) {
                ship(shipped + random.nextInt(stream.size() - shipped + 1));
            }
            if (random.nextInt(60) == 0) {
                copy = copy.afterCrash();
            }
            if (random.nextInt(40) == 0) {
                leader.commit();
                ship(stream.size());
                compare();
            }
        }
        leader.commit();
        ship(stream.size());
        copy.materialise();
        compare();
        leader.materialise();
        assertThat(StoreContents.rows(copy)).isEqualTo(StoreContents.rows(leader));
        assertThat(copy.failure).isNull();
        // What was sent again changes nothing.
        for (Sent each : stream.subList(stream.size() / 2, stream.size())) {
            copy.shard(1).apply(OTHER, 1, each.position, each.body);
        }
        copy.commit();
        compare();
        Subject.StreamAt at = PartOps.stream(copy.disk, OTHER);
        assertThat(at).isNotNull();
        assertThat(at.position()).isEqualTo(stream.get(stream.size() - 1).position);
    }

    private void work(Random random, List<Entry> alive) {
        int what = random.nextInt(10);
        if (what < 4 || alive.isEmpty()) {
            long queueId = queue(1 + random.nextInt(QUEUES));
            String text = "m".repeat(1 + random.nextInt(6_000));
            alive.add(leader.append(0, queueId, leader.message(text, 2, Message.NEVER)));
            return;
        }
        Entry entry = alive.get(random.nextInt(alive.size()));
        if (what < 6 && entry.message != null) {
            entry.packetId = 1 + random.nextInt(100);
            leader.shard(0).inFlight(entry);
        } else if (what < 7 && entry.packetId != 0) {
            // An append without its message is another test's.
            leader.commit();
            entry.message = null;
            leader.shard(0).released(entry);
        } else if (what < 9) {
            leader.shard(0).remove(entry);
            alive.remove(entry);
        }
    }

    private void compare() {
        for (int number = 1; number <= QUEUES; number++) {
            QueueState at = StoreContents.state(leader, queue(number));
            QueueState there = StoreContents.state(copy, queue(number));
            assertThat(there.coverage()).isEqualTo(at.coverage());
            assertThat(there.digest().isSame(at.digest())).isTrue();
            assertThat(there.idle()).isEqualTo(at.idle());
            assertThat(there.inFlight()).isEqualTo(at.inFlight());
            assertThat(there.bytes()).isEqualTo(at.bytes());
            assertThat(there.last()).isEqualTo(at.last());
            assertThat(there.records().isSame(at.records())).isTrue();
        }
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
        assertThat(copy.recovered.sessions).isEmpty();
    }

    @Test
    void what_another_node_has_reserved_never_moves_what_this_one_has() throws DiskFailure {
        IdFloor before = copy.floor;
        PartEncoder body = new PartEncoder(OTHER, QueueHandle::new);
        body.begin();
        body.encode(Op.CLOCK, 1L << 62, 0);
        body.encode(Op.QUEUE_IDS, 1L << 30, 0);
        Entry far = new Entry(queue(1), 1L << 61, leader.message("far"), 1);
        far.queue = new QueueHandle(queue(1));
        far.queue.writtenClock = (1L << 61) - 1;
        far.queue.writtenServer = OTHER;
        far.server = OTHER;
        body.encode(Op.APPEND, far, 0);
        ByteWriter bytes = new ByteWriter(256);
        body.writeTo(bytes);

        copy.shard(0).apply(OTHER, 1, 1, bytes.toBytes());
        copy.commit();
        copy.materialise();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(1);
        copy = copy.afterCrash();

        assertThat(copy.floor.clock()).isLessThan(1L << 61);
        assertThat(copy.floor.clock()).isGreaterThanOrEqualTo(before.clock());
        assertThat(copy.floor.queueCounter() - before.queueCounter())
                .isLessThanOrEqualTo(IdFloor.QUEUE_BLOCK);
    }

    @Test
    void late_part_of_a_previous_leader_is_refused_and_counted() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.commit();
        ship(stream.size());
        copy.shard(1).adopt(queue(1), new Epoch(Epoch.number(1, 1), 7), new Recovered());
        copy.commit();
        leader.append(0, queue(1), leader.message("late"));
        leader.append(0, queue(2), leader.message("of another queue"));
        leader.commit();
        ship(stream.size());
        copy.materialise();

        assertThat(copy.texts(queue(1))).containsExactly("a");
        assertThat(copy.texts(queue(2))).containsExactly("of another queue");
        assertThat(copy.store.value(StoreMetric.PARTS_REFUSED)).isEqualTo(1);
        copy = copy.afterCrash();
        assertThat(copy.recovered.sessions.keySet()).containsExactly(queue(1));
        assertThat(copy.texts(queue(1))).containsExactly("a");
    }

    @Test
    void what_came_before_its_sessions_end_does_not_come_back() {
        leader.connect(0, 1);
        leader.commit();
        leader.append(0, queue(1), leader.message("a"));
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();
        ship(stream.size());
        copy.materialise();
        copy.time.pass(1_000);
        leader.append(0, queue(1), leader.message("late"));
        leader.commit();
        ship(stream.size());
        copy.materialise();

        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
    }

    @Test
    void a_part_that_is_none_is_refused_before_it_is_in_the_journal() {
        assertThatThrownBy(() -> copy.shard(0).apply(OTHER, 1, 1, new byte[] {1, 2, 3, 4, 5}))
                .isInstanceOf(IndexOutOfBoundsException.class);
        copy.commit();
        assertThat(copy.journal.records()).isZero();
        assertThat(copy.failure).isNull();
    }

    @Test
    void parts_of_one_record_are_for_their_copy_sets_and_each_counts() {
        Objects.requireNonNull(leader.shard(0).handle(queue(2))).copySet = 1;
        leader.append(0, queue(1), leader.message("a"));
        leader.append(0, queue(2), leader.message("b"));
        leader.commit();

        assertThat(stream).extracting(Sent::copySet).containsExactly(0, 1);
        ship(stream.size());
        copy.materialise();
        assertThat(copy.texts(queue(1))).containsExactly("a");
        assertThat(copy.texts(queue(2))).containsExactly("b");
        assertThat(copy.store.value(StoreMetric.PARTS_REFUSED)).isZero();
    }
}
