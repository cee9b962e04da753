package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.disk.DiskFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks queues of a leader that another node has taken over, and that become copies of its. */
class YieldedQueuesTest {
    private static final int FORMER = 9;
    private static final int NEW = 7;

    /** Under this the new leader adopts; the table of leaders has a higher one by a start. */
    private static final Epoch ADOPTED = new Epoch(10, NEW);

    private static final Epoch KNOWN = new Epoch(11, NEW);
    private static final Epoch ADOPTED_BACK = new Epoch(20, FORMER);

    private StoreFixture former = new StoreFixture(FORMER);
    private final CopyWire fromFormer = new CopyWire(former, FORMER);
    private final StoreFixture taker = new StoreFixture(NEW);
    private final CopyWire fromTaker = new CopyWire(taker, NEW);
    private long first;

    @BeforeEach
    void another_node_takes_a_queue_over() {
        fromFormer.open();
        former.connect(0, 1);
        first = former.append(0, queue(1), former.message("first")).messageId;
        former.commit();
        fromFormer.deliver(taker);
        fromTaker.open();
        taker.shard(1).adopt(queue(1), ADOPTED, new Recovered());
        taker.commit();
        taker.materialise();
    }

    private void yieldQueue() {
        former.shard(0).yieldTo(queue(1), KNOWN);
        former.commit();
    }

    private void adoptBack() {
        former.shard(0).adopt(queue(1), ADOPTED_BACK, new Recovered());
        former.commit();
        former.materialise();
    }

    private void fill() {
        fromTaker.fillAll(10, queue(1));
        fromTaker.deliver(former);
        former.materialise();
    }

    private List<Long> copies() {
        List<Long> found = new ArrayList<>();
        former.store.copiesOf(
                NEW,
                ids -> {
                    for (long each : ids) {
                        found.add(each);
                    }
                });
        former.time.pass(100);
        return found;
    }

    private List<Long> ownQueues() {
        List<Long> found = new ArrayList<>();
        former.store.queuesOf(
                CopySets.of(ClientId.of("c1")),
                ids -> {
                    for (long each : ids) {
                        found.add(each);
                    }
                });
        former.time.pass(100);
        return found;
    }

    private List<Long> adoptable() {
        List<Long> found = new ArrayList<>();
        former.store.adoptableOf(
                NEW,
                CopySets.of(ClientId.of("c1")),
                all -> all.stream().map(Adoptable::queueId).forEach(found::add));
        former.time.pass(100);
        return found;
    }

    @Test
    void queue_becomes_a_copy_where_it_is() {
        yieldQueue();
        former.materialise();
        assertThat(copies()).containsExactly(queue(1));
        assertThat(adoptable()).containsExactly(queue(1));
        assertThat(ownQueues()).isEmpty();
        assertThat(former.texts(queue(1))).containsExactly("first");
        assertThat(former.store.value(StoreMetric.COPIES)).isEqualTo(1);
        assertThat(former.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(former.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(1);
    }

    @Test
    void no_set_of_this_node_counts_it() {
        yieldQueue();
        former.materialise();
        List<int[]> counts = new ArrayList<>();
        former.store.countQueues(counts::add);
        former.time.pass(100);
        assertThat(counts.getFirst()).containsOnly(0);
    }

    @Test
    void start_takes_no_session_of_it_up() {
        yieldQueue();
        former = former.afterCrashAs(FORMER);
        assertThat(former.recovered.sessions).isEmpty();
        assertThat(copies()).containsExactly(queue(1));
        assertThat(former.texts(queue(1))).containsExactly("first");
        former.materialise();
        former = former.afterCrashAs(FORMER);
        assertThat(former.recovered.sessions).isEmpty();
        assertThat(copies()).containsExactly(queue(1));
    }

    @Test
    void yield_that_no_crash_left_is_done_again() {
        former.materialise();
        former.shard(0).yieldTo(queue(1), KNOWN);
        former = former.afterCrashAs(FORMER);
        assertThat(former.recovered.sessions).hasSize(1);
        yieldQueue();
        yieldQueue();
        former.materialise();
        assertThat(copies()).containsExactly(queue(1));
        assertThat(former.texts(queue(1))).containsExactly("first");
    }

    @Test
    void queue_takes_what_the_new_leader_writes_though_its_epoch_is_lower_than_the_known_one() {
        yieldQueue();
        taker.append(1, queue(1), taker.message("second"));
        taker.commit();
        fill();
        taker.append(1, queue(1), taker.message("third"));
        taker.commit();
        fromTaker.deliver(former);
        adoptBack();
        assertThat(former.texts(queue(1))).containsExactly("first", "second", "third");
    }

    @Test
    void what_only_the_former_leader_has_is_set_aside_by_the_fill() {
        former.append(0, queue(1), former.message("never acknowledged"));
        former.commit();
        yieldQueue();
        taker.append(1, queue(1), taker.message("second"));
        taker.commit();
        fill();
        assertThat(former.store.value(StoreMetric.ASIDE_ENTRIES)).isEqualTo(1);
        adoptBack();
        assertThat(former.texts(queue(1))).containsExactly("first", "second");
    }

    @Test
    void removal_behind_the_yield_finds_the_row() {
        yieldQueue();
        taker.shard(1).remove(taker.read(queue(1), RowRead.Section.IDLE).entries.getFirst());
        taker.commit();
        fromTaker.deliver(former);
        former.materialise();
        assertThat(former.texts(queue(1))).isEmpty();
    }

    @Test
    void queue_that_the_new_leader_does_not_have_is_set_aside_as_a_whole() {
        former.connect(0, 2);
        former.append(0, queue(2), former.message("never acknowledged"));
        former.commit();
        former.shard(0).yieldTo(queue(2), KNOWN);
        former.commit();
        fromTaker.fillAll(10, queue(2));
        fromTaker.deliver(former);
        former.materialise();
        assertThat(copies()).isEmpty();
        assertThat(former.store.value(StoreMetric.ASIDE_QUEUES)).isEqualTo(1);
        assertThat(former.store.value(StoreMetric.ASIDE_ENTRIES)).isEqualTo(1);
    }

    @Test
    void queue_that_was_adopted_before_and_that_the_new_leader_lacks_is_set_aside_too() {
        yieldQueue();
        fill();
        adoptBack();
        StoreFixture other = new StoreFixture(5);
        CopyWire fromOther = new CopyWire(other, 5);
        fromOther.open();
        former.shard(0).yieldTo(queue(1), new Epoch(30, 5));
        former.commit();
        fromOther.fillAll(10, queue(1));
        fromOther.deliver(former);
        former.materialise();
        assertThat(former.store.value(StoreMetric.COPIES)).isZero();
        assertThat(former.store.value(StoreMetric.ASIDE_ENTRIES)).isEqualTo(1);
    }

    @Test
    void leader_that_was_outdone_twice_writes_nothing_into_the_copy() {
        StoreFixture other = new StoreFixture(5);
        CopyWire fromOther = new CopyWire(other, 5);
        fromOther.open();
        fromTaker.fillAll(10, queue(1));
        fromTaker.deliver(other);
        other.shard(1).adopt(queue(1), new Epoch(30, 5), new Recovered());
        other.commit();
        former.shard(0).yieldTo(queue(1), new Epoch(31, 5));
        former.commit();
        taker.append(1, queue(1), taker.message("too late"));
        taker.commit();
        fromTaker.deliver(former);
        fromOther.fillAll(10, queue(1));
        fromOther.deliver(former);
        former.materialise();
        assertThat(former.texts(queue(1))).containsExactly("first");
        assertThat(former.store.value(StoreMetric.PARTS_REFUSED)).isPositive();
    }

    @Test
    void coverage_has_what_was_appended_before_and_begins_anew_afterwards() throws DiskFailure {
        Entry early = former.append(0, queue(1), former.message("early"));
        former.commit();
        fromFormer.deliver(taker);
        yieldQueue();
        former.materialise();
        assertThat(former.store.coverage(queue(1)).covers(early.messageId, FORMER)).isTrue();
        long between = former.nextId();
        fill();
        adoptBack();
        Entry late = former.append(0, queue(1), former.message("late"));
        former.commit();
        former = former.afterCrashAs(FORMER);
        assertThat(former.store.coverage(queue(1)).covers(first, FORMER)).isTrue();
        assertThat(former.store.coverage(queue(1)).covers(between, FORMER)).isFalse();
        assertThat(former.store.coverage(queue(1)).covers(late.messageId, FORMER)).isTrue();
    }

    @Test
    void leadership_that_goes_to_and_fro_loses_nothing() {
        List<String> all = new ArrayList<>(List.of("first"));
        for (int i = 0; i < 3; i++) {
            former.shard(0).yieldTo(queue(1), new Epoch(100 * i + 50, NEW));
            former.commit();
            String atTaker = "taker " + i;
            taker.append(1, queue(1), taker.message(atTaker));
            taker.commit();
            fill();
            former.shard(0).adopt(queue(1), new Epoch(100 * i + 60, FORMER), new Recovered());
            former.commit();
            former.materialise();
            taker.shard(1).yieldTo(queue(1), new Epoch(100 * i + 60, FORMER));
            taker.commit();
            fromFormer.open();
            String atFormer = "former " + i;
            former.append(0, queue(1), former.message(atFormer));
            former.commit();
            fromFormer.fillAll(10, queue(1));
            fromFormer.deliver(taker);
            fromTaker.open();
            taker.shard(1).adopt(queue(1), new Epoch(100 * i + 110, NEW), new Recovered());
            taker.commit();
            taker.materialise();
            all.add(atTaker);
            all.add(atFormer);
        }
        former.materialise();
        assertThat(former.texts(queue(1))).containsExactlyElementsOf(all);
        assertThat(taker.texts(queue(1))).containsExactlyElementsOf(all);
        assertThat(former.store.value(StoreMetric.ASIDE_ENTRIES)).isZero();
        assertThat(taker.store.value(StoreMetric.ASIDE_ENTRIES)).isZero();
        assertThat(former.read(queue(1), RowRead.Section.IN_FLIGHT).entries).isEmpty();
    }
}
