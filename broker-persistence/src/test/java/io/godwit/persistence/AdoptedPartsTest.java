package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.StoreMetric;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Checks a copy of a former leader's queue at a node that begins to follow the leader which has
 * adopted it: it becomes that one's as it is, and the fill leaves it out.
 */
class AdoptedPartsTest {
    private static final int FORMER = 9;
    private static final int NEW = 7;
    private static final int THIRD = 5;
    private static final int SET = CopySets.of(ClientId.of("c1"));

    private static final Epoch ADOPTED = new Epoch(10, NEW);
    private static final Epoch ADOPTED_NEXT = new Epoch(20, THIRD);

    private StoreFixture former = new StoreFixture(FORMER);
    private final CopyWire fromFormer = new CopyWire(former, FORMER);
    private final StoreFixture leader = new StoreFixture(NEW);
    private final CopyWire fromLeader = new CopyWire(leader, NEW);
    private StoreFixture third = new StoreFixture(THIRD);
    private CopyWire fromThird = new CopyWire(third, THIRD);

    @BeforeEach
    void one_of_two_followers_adopts_a_queue() {
        fromFormer.open();
        former.connect(0, 1);
        former.append(0, queue(1), former.message("first"));
        former.commit();
        fromFormer.deliver(leader);
        fromFormer.resumeAt(0);
        fromFormer.deliver(third);
        leader.shard(1).adopt(queue(1), ADOPTED, new Recovered());
        leader.commit();
        leader.materialise();
        fromLeader.open();
    }

    private void name() {
        fromLeader.nameAdopted(SET);
        fromLeader.deliver(third);
    }

    private static List<Long> copiesOf(StoreFixture at, int server) {
        List<Long> found = new ArrayList<>();
        List<Boolean> isTold = new ArrayList<>();
        at.store.copiesOf(
                server,
                ids -> {
                    for (long each : ids) {
                        found.add(each);
                    }
                    isTold.add(true);
                });
        while (isTold.isEmpty() && at.time.step()) {}
        return found;
    }

    private static List<Long> adoptableOf(StoreFixture at, int server) {
        List<List<Adoptable>> told = new ArrayList<>();
        at.store.adoptableOf(server, SET, told::add);
        while (told.isEmpty() && at.time.step()) {}
        return told.getFirst().stream().map(Adoptable::queueId).toList();
    }

    /** Fills the copy with what it lacks, and tells whether it had the queue already. */
    private boolean isLeftOut(StoreFixture copy, long queueId) {
        long[] queueIds = {queueId};
        Digest[] there = {new Digest()};
        if (copiesOf(copy, NEW).contains(queueId)) {
            List<List<Digest>> told = new ArrayList<>();
            copy.store.describeCopies(queueIds, told::add);
            while (told.isEmpty() && copy.time.step()) {}
            there[0] = told.getFirst().getFirst();
        }
        FillAsk.Copied copied = (any, digest) -> digest.isSame(there[0]);
        int before = fromLeader.leftOut;
        fromLeader.fill(new FillAsk(queueIds, HybridId.NONE, 100, 1 << 20, copied));
        fromLeader.await();
        fromLeader.deliver(copy);
        copy.materialise();
        return fromLeader.leftOut > before;
    }

    /** Returns what the third node has when it takes the queue over in turn. */
    private List<String> textsAdoptedByThird() {
        assertThat(adoptableOf(third, NEW)).containsExactly(queue(1));
        third.shard(1).adopt(queue(1), ADOPTED_NEXT, new Recovered());
        third.commit();
        third.materialise();
        return third.texts(queue(1));
    }

    @Test
    void copy_becomes_the_new_leaders_as_it_is_and_is_left_out_of_the_fill() {
        assertThat(copiesOf(third, FORMER)).containsExactly(queue(1));
        name();
        assertThat(copiesOf(third, FORMER)).isEmpty();
        assertThat(copiesOf(third, NEW)).containsExactly(queue(1));
        assertThat(adoptableOf(third, FORMER)).isEmpty();
        assertThat(isLeftOut(third, queue(1))).isTrue();
        assertThat(textsAdoptedByThird()).containsExactly("first");
    }

    @Test
    void copy_that_is_not_named_is_sent() {
        assertThat(isLeftOut(third, queue(1))).isFalse();
        assertThat(textsAdoptedByThird()).containsExactly("first");
    }

    @Test
    void name_of_a_queue_takes_less_than_thirty_bytes() {
        int bytes = fromLeader.nameAdopted(SET);
        assertThat(bytes).isPositive().isLessThan(30);
    }

    @Test
    void name_counts_after_a_crash_whether_it_is_a_row_or_not() {
        name();
        third = third.afterCrashAs(THIRD);
        assertThat(copiesOf(third, NEW)).containsExactly(queue(1));
        assertThat(isLeftOut(third, queue(1))).isTrue();
        third.materialise();
        third = third.afterCrashAs(THIRD);
        assertThat(copiesOf(third, NEW)).containsExactly(queue(1));
        assertThat(isLeftOut(third, queue(1))).isTrue();
        assertThat(textsAdoptedByThird()).containsExactly("first");
    }

    @Test
    void name_that_a_crash_has_lost_comes_again() throws Exception {
        third.materialise();
        fromLeader.nameAdopted(SET);
        fromLeader.apply(third, 1);
        third = third.afterCrashAs(THIRD);
        assertThat(copiesOf(third, NEW)).isEmpty();
        fromLeader.resume(third);
        fromLeader.deliver(third);
        assertThat(copiesOf(third, NEW)).containsExactly(queue(1));
        assertThat(isLeftOut(third, queue(1))).isTrue();
    }

    @Test
    void former_leader_writes_nothing_into_a_copy_behind_the_name() {
        name();
        former.append(0, queue(1), former.message("too late"));
        former.commit();
        fromFormer.deliver(third);
        third.materialise();
        assertThat(third.store.value(StoreMetric.PARTS_REFUSED)).isPositive();
        assertThat(isLeftOut(third, queue(1))).isTrue();
        assertThat(textsAdoptedByThird()).containsExactly("first");
    }

    @Test
    void what_the_former_leader_wrote_before_the_name_is_set_aside_by_the_fill() {
        former.append(0, queue(1), former.message("never acknowledged"));
        former.commit();
        fromFormer.deliver(third);
        name();
        assertThat(isLeftOut(third, queue(1))).isFalse();
        assertThat(third.store.value(StoreMetric.ASIDE_ENTRIES)).isEqualTo(1);
        assertThat(isLeftOut(third, queue(1))).isTrue();
        assertThat(textsAdoptedByThird()).containsExactly("first");
    }

    @Test
    void parts_behind_the_name_change_copy_and_leader_alike() {
        name();
        leader.append(1, queue(1), leader.message("second"));
        leader.commit();
        fromLeader.deliver(third);
        assertThat(isLeftOut(third, queue(1))).isTrue();
        assertThat(textsAdoptedByThird()).containsExactly("first", "second");
    }

    @Test
    void queue_of_the_former_leader_that_became_a_copy_is_left_out_too() {
        former.shard(0).yieldTo(queue(1), new Epoch(11, NEW));
        former.commit();
        former = former.afterCrashAs(FORMER);
        fromLeader.nameAdopted(SET);
        fromLeader.deliver(former);
        assertThat(isLeftOut(former, queue(1))).isTrue();
        assertThat(copiesOf(former, NEW)).containsExactly(queue(1));
    }

    @Test
    void name_of_a_leader_that_was_taken_over_from_is_refused() {
        name();
        fromThird = new CopyWire(third, THIRD);
        fromThird.open();
        third.shard(1).adopt(queue(1), ADOPTED_NEXT, new Recovered());
        third.commit();
        third.materialise();
        former.shard(0).yieldTo(queue(1), new Epoch(11, NEW));
        former.commit();
        fromThird.nameAdopted(SET);
        fromThird.deliver(former);
        fromLeader.nameAdopted(SET);
        fromLeader.resumeAt(0);
        fromLeader.deliver(former);
        assertThat(copiesOf(former, THIRD)).containsExactly(queue(1));
        assertThat(copiesOf(former, NEW)).isEmpty();
        fromLeader.resumeAt(0);
        fromLeader.deliver(third);
        assertThat(copiesOf(third, NEW)).as("adopted here").isEmpty();
    }

    @Test
    void name_makes_no_copy_where_there_is_none() {
        StoreFixture other = new StoreFixture(4);
        fromLeader.nameAdopted(SET);
        fromLeader.deliver(other);
        other.materialise();
        assertThat(copiesOf(other, NEW)).isEmpty();
        assertThat(other.store.value(StoreMetric.COPIES)).isZero();
    }

    @Test
    void name_brings_no_queue_back_that_has_ended() {
        fromLeader.nameAdopted(SET);
        fromFormer.resumeAt(0);
        former.shard(0).removeSession(ClientId.of("c1"), queue(1), former.stamp());
        former.commit();
        fromFormer.deliver(third);
        third.materialise();
        third.time.pass(5_000);
        fromLeader.deliver(third);
        third.materialise();
        third.time.pass(5_000);
        assertThat(third.store.value(StoreMetric.COPIES)).isZero();
        third = third.afterCrashAs(THIRD);
        third.materialise();
        third.time.pass(5_000);
        assertThat(third.store.value(StoreMetric.COPIES)).isZero();
        assertThat(adoptableOf(third, NEW)).isEmpty();
    }

    @Test
    void name_brings_no_queue_back_that_is_about_to_be_deleted() {
        fromLeader.nameAdopted(SET);
        former.shard(0).removeSession(ClientId.of("c1"), queue(1), former.stamp());
        former.commit();
        fromFormer.deliver(third);
        fromLeader.deliver(third);
        third = third.afterCrashAs(THIRD);
        third.materialise();
        third.time.pass(5_000);
        assertThat(third.store.value(StoreMetric.COPIES)).isZero();
        assertThat(adoptableOf(third, NEW)).isEmpty();
    }

    @Test
    void predecessor_is_named_with_its_session() {
        former.append(0, queue(2), former.message("before"));
        former.shard(0).putPredecessor(queue(1), queue(2));
        former.commit();
        fromFormer.resumeAt(0);
        StoreFixture next = new StoreFixture(3);
        CopyWire fromNext = new CopyWire(next, 3);
        fromFormer.deliver(next);
        fromFormer.resumeAt(0);
        fromFormer.deliver(third);
        next.shard(1).adopt(queue(2), new Epoch(30, 3), new Recovered());
        next.shard(1).adopt(queue(1), new Epoch(30, 3), new Recovered());
        next.commit();
        next.materialise();
        fromNext.open();
        fromNext.nameAdopted(SET);
        fromNext.deliver(third);
        assertThat(copiesOf(third, 3)).containsExactlyInAnyOrder(queue(1), queue(2));
        assertThat(adoptableOf(third, 3)).containsExactly(queue(1));
    }

    @Test
    void queue_that_this_node_has_always_led_is_not_named() {
        leader.connect(0, 1);
        assertThat(fromFormer.nameAdopted(SET)).isZero();
    }
}
