package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.disk.DiskFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks copies of a queue that one follower of its leader has adopted, at another follower. */
class AdoptedCopiesTest {
    private static final int LEADER = 9;
    private static final int ADOPTER = 7;
    private static final int FOLLOWER = 8;
    private static final Epoch ADOPTED = new Epoch(Epoch.number(1, 1), ADOPTER);
    private static final Epoch ADOPTED_AGAIN = new Epoch(Epoch.number(2, 1), FOLLOWER);

    private final StoreFixture leader = new StoreFixture(LEADER);
    private final CopyWire fromLeader = new CopyWire(leader, LEADER);
    private StoreFixture adopter = new StoreFixture(ADOPTER);
    private final CopyWire fromAdopter = new CopyWire(adopter, ADOPTER);
    private final StoreFixture follower = new StoreFixture(FOLLOWER);

    @SuppressWarnings("NullAway.Init") // set before each test
    private StoreFixture.Entry first;

    @BeforeEach
    void both_follow_and_one_adopts() {
        fromLeader.open();
        leader.connect(0, 1);
        first = leader.append(0, queue(1), leader.message("first"));
        leader.commit();
        fromLeader.deliver(adopter);
        fromAdopter.open();
        adopter.shard(1).adopt(queue(1), ADOPTED, new Recovered());
        adopter.commit();
        adopter.materialise();
    }

    /** Returns the texts that the follower has, by having it adopt the queue, too. */
    private List<String> textsAtFollower() {
        follower.shard(1).adopt(queue(1), ADOPTED_AGAIN, new Recovered());
        follower.commit();
        follower.materialise();
        return follower.texts(queue(1));
    }

    @Test
    void follower_with_a_copy_takes_parts_and_fill_of_the_new_leader() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        fromAdopter.fillAll(10, queue(1));
        adopter.append(1, queue(1), adopter.message("second"));
        adopter.commit();
        fromAdopter.deliver(follower);
        follower.materialise();
        assertThat(copiesOf(ADOPTER)).containsExactly(queue(1));
        assertThat(copiesOf(LEADER)).isEmpty();
        assertThat(textsAtFollower()).containsExactly("first", "second");
    }

    @Test
    void follower_refuses_what_the_former_leader_writes_afterwards() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        fromAdopter.fillAll(10, queue(1));
        fromAdopter.deliver(follower);
        leader.append(0, queue(1), leader.message("too late"));
        leader.commit();
        fromLeader.fillAll(10, queue(1));
        fromLeader.deliver(follower);
        follower.materialise();
        assertThat(follower.store.value(StoreMetric.PARTS_REFUSED)).isPositive();
        assertThat(copiesOf(ADOPTER)).containsExactly(queue(1));
        assertThat(textsAtFollower()).containsExactly("first");
    }

    @Test
    void new_leader_refuses_what_the_former_one_writes_afterwards() {
        leader.append(0, queue(1), leader.message("too late"));
        leader.commit();
        fromLeader.deliver(adopter);
        adopter.materialise();
        assertThat(adopter.texts(queue(1))).containsExactly("first");
    }

    @Test
    void follower_counts_a_row_once_that_both_leaders_remove() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        follower.materialise();
        leader.shard(0).remove(first);
        leader.commit();
        fromLeader.deliver(follower);
        follower.time.pass(200);
        sendAndRemoveAtAdopter();
        fromAdopter.deliver(follower);
        follower.time.pass(5_000); // The first removal becomes rows before what follows.
        follower.materialise();
        assertThat(copiesOf(ADOPTER)).containsExactly(queue(1));
        assertThat(textsAtFollower()).isEmpty();
    }

    private void sendAndRemoveAtAdopter() {
        StoreFixture.Entry again = adopter.read(queue(1), RowRead.Section.IDLE).entries.getFirst();
        again.packetId = 1;
        adopter.shard(1).inFlight(again);
        adopter.commit();
        adopter.shard(1).remove(again);
        adopter.commit();
    }

    /**
     * The former leader has yielded the queue, and says that it has it no more; its successor does
     * not know so, and goes on with the session.
     */
    @Test
    void follower_counts_a_row_once_that_one_leader_ends_and_the_other_sends() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        follower.materialise();
        leader.shard(0).yieldTo(queue(1), ADOPTED);
        leader.commit();
        leader.materialise();
        fromLeader.fill(ends(queue(1)));
        fromLeader.await();
        fromLeader.deliver(follower);
        StoreFixture.Entry again = adopter.read(queue(1), RowRead.Section.IDLE).entries.getFirst();
        adopter.shard(1).putSession(ClientId.of("c1"), adopter.session(queue(1)));
        again.packetId = 1;
        adopter.shard(1).inFlight(again);
        adopter.commit();
        fromAdopter.deliver(follower);
        follower.materialise();
        assertThat(textsAtFollower()).isEmpty();
    }

    /**
     * It has removed the row when it was not the leader any more, and did not know so. All of that
     * is in the journal alone.
     */
    @Test
    void start_of_the_former_leader_counts_a_row_once_that_both_remove() {
        leader.materialise();
        MemoryDisk before = leader.disk.copied();
        leader.shard(0).remove(first);
        leader.commit();
        leader.shard(0).yieldTo(queue(1), ADOPTED);
        leader.connect(0, 2);
        for (int i = 0; i < 3_000; i++) {
            leader.append(0, queue(2), leader.message("other"));
        }
        leader.commit();
        sendAndRemoveAtAdopter();
        fromAdopter.deliver(leader);
        StoreFixture.Left left = new StoreFixture.Left(before, leader.left().journal());
        StoreFixture started = leader.setBack(left, LEADER);
        assertThat(copiesOf(ADOPTER, started)).containsExactly(queue(1));
        assertThat(started.texts(queue(1))).isEmpty();
    }

    /** It has ended the session when it was not the leader any more, and did not know so. */
    @Test
    void start_of_a_former_leader_has_all_of_a_session_that_it_had_ended() throws DiskFailure {
        leader.remember(0, first);
        leader.commit();
        leader.materialise();
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();
        adopter.remember(1, adopter.read(queue(1), RowRead.Section.IDLE).entries.getFirst());
        adopter.commit();
        adopter.materialise();
        fromAdopter.fillAll(10, queue(1));
        fromAdopter.deliver(leader);
        StoreFixture started = leader.afterCrashAs(LEADER);
        started.materialise();
        assertThat(StoreContents.digests(started)).isEqualTo(StoreContents.digests(adopter));
    }

    /** Both are in one record of the journal, the adoption first. */
    @Test
    void start_finds_what_the_former_leader_has_written_together_with_the_adoption() {
        fromLeader.resumeAt(0);
        fromLeader.apply(follower, 10);
        follower.shard(1).adopt(queue(1), ADOPTED_AGAIN, new Recovered());
        follower.commit();
        StoreFixture started = follower.afterCrashAs(FOLLOWER);
        assertThat(started.texts(queue(1))).containsExactly("first");
    }

    @Test
    void queue_that_has_ended_at_the_new_leader_does_not_come_back_from_the_former_one() {
        endAtAdopter();
        fromLeader.fillAll(10, queue(1));
        fromLeader.deliver(adopter);
        adopter.materialise();
        assertThat(adopter.store.value(StoreMetric.COPIES)).isZero();
        assertThat(adopter.texts(queue(1))).isEmpty();
        adopter = adopter.afterCrash();
        assertThat(adopter.store.value(StoreMetric.COPIES)).isZero();
        assertThat(adopter.recovered.sessions).isEmpty();
    }

    @Test
    void copy_that_has_ended_at_the_new_leader_does_not_come_back_from_the_former_one() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        fromAdopter.fillAll(10, queue(1));
        endAtAdopter();
        fromAdopter.deliver(follower);
        follower.materialise();
        follower.time.pass(5_000);
        assertThat(copiesOf(ADOPTER)).isEmpty();
        fromLeader.fillAll(10, queue(1));
        fromLeader.deliver(follower);
        follower.materialise();
        assertThat(copiesOf(LEADER)).isEmpty();
        assertThat(follower.store.value(StoreMetric.COPIES)).isZero();
    }

    /** The new leader may have died before it has loaded the session. */
    @Test
    void former_leader_ends_no_copy_of_a_session_whose_slot_it_does_not_lead() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        leader.shard(0).yieldTo(queue(1), ADOPTED);
        leader.commit();
        leader.materialise();
        fromLeader.fill(ends(queue(1), new BitSet()));
        fromLeader.await();
        fromLeader.deliver(follower);
        assertThat(textsAtFollower()).containsExactly("first");
    }

    /** Asks for the end of the copy of a queue that the node does not lead any more. */
    private static FillAsk ends(long queueId) {
        BitSet all = new BitSet();
        all.set(0, ClientId.SLOTS);
        return ends(queueId, all);
    }

    private static FillAsk ends(long queueId, BitSet led) {
        return new FillAsk(
                new long[] {queueId},
                HybridId.NONE,
                10,
                Integer.MAX_VALUE,
                FillAsk.Copied.NOTHING,
                led);
    }

    private void endAtAdopter() {
        adopter.shard(1).removeSession(ClientId.of("c1"), queue(1), adopter.stamp());
        adopter.commit();
        adopter.materialise();
        adopter.time.pass(5_000);
    }

    @Test
    void session_that_is_put_again_long_after_its_end_has_copies() {
        fromAdopter.fillAll(10, queue(1));
        endAtAdopter();
        System.gc();
        adopter.shard(1).putSession(ClientId.of("c1"), adopter.session(queue(1)));
        adopter.append(1, queue(1), adopter.message("again"));
        adopter.commit();
        fromAdopter.deliver(follower);
        follower.materialise();
        assertThat(copiesOf(ADOPTER)).containsExactly(queue(1));
        assertThat(textsAtFollower()).containsExactly("again");
    }

    @Test
    void former_leader_that_follows_has_a_copy_of_its_own_queue() {
        fromAdopter.fillAll(10, queue(1));
        adopter.append(1, queue(1), adopter.message("second"));
        adopter.commit();
        fromAdopter.deliver(leader);
        leader.materialise();
        List<Long> found = new ArrayList<>();
        leader.store.queuesOf(
                CopySets.of(ClientId.of("c1")),
                ids -> {
                    for (long each : ids) {
                        found.add(each);
                    }
                });
        leader.time.pass(100);
        assertThat(found).as("what it fills its own followers with").isEmpty();
        leader.shard(0).adopt(queue(1), new Epoch(Epoch.number(2, 1), LEADER), new Recovered());
        leader.commit();
        leader.materialise();
        assertThat(leader.texts(queue(1))).containsExactly("first", "second");
    }

    @Test
    void leader_that_has_adopted_a_queue_writes_under_its_epoch_after_a_start() {
        fromLeader.resumeAt(0);
        fromLeader.deliver(follower);
        fromAdopter.fillAll(10, queue(1));
        fromAdopter.deliver(follower);
        adopter = adopter.afterCrashAs(ADOPTER);
        CopyWire again = new CopyWire(adopter, ADOPTER);
        again.open(2);
        adopter.append(1, queue(1), adopter.message("second"));
        adopter.commit();
        again.fillAll(10, queue(1));
        again.deliver(follower);
        follower.materialise();
        assertThat(textsAtFollower()).containsExactly("first", "second");
    }

    @Test
    void copy_that_a_former_leader_has_made_of_its_own_session_ends_at_the_new_ones_word() {
        leader.connect(0, 2); // It has not heard yet that another node has taken over.
        leader.commit();
        fromLeader.deliver(adopter);
        adopter.materialise();
        leader.shard(0).yieldTo(queue(2), ADOPTED);
        leader.commit();
        leader.materialise();
        assertThat(copiesOf(ADOPTER, leader)).containsExactly(queue(2));

        List<Long> notLed = new ArrayList<>();
        adopter.store.notLedOf(
                new long[] {queue(1), queue(2)},
                ids -> {
                    for (long each : ids) {
                        notLed.add(each);
                    }
                });
        adopter.time.pass(100);
        assertThat(notLed).containsExactly(queue(2));
        fromAdopter.fill(ends(notLed.getFirst()));
        fromAdopter.await();
        fromAdopter.deliver(leader);
        leader.materialise();
        assertThat(copiesOf(ADOPTER, leader)).isEmpty();
    }

    private List<Long> copiesOf(int of) {
        return copiesOf(of, follower);
    }

    private static List<Long> copiesOf(int of, StoreFixture at) {
        List<Long> found = new ArrayList<>();
        at.store.copiesOf(
                of,
                ids -> {
                    for (long each : ids) {
                        found.add(each);
                    }
                });
        at.time.pass(100);
        return found;
    }
}
