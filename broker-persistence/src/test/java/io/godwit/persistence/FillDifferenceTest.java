package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.StoreFixture.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A fill leaves out the queues that the copy has already. */
class FillDifferenceTest {
    private static final int LEADER = 9;
    private static final long[] QUEUES = {queue(1), queue(2), queue(3), queue(4)};
    private static final Receiver MEMBER = member(1);

    private final StoreFixture leader = new StoreFixture(LEADER);
    private final StoreFixture copy = new StoreFixture();
    private final CopyWire wire = new CopyWire(leader, LEADER);
    private final Entry first;
    private final Entry ofGroup;

    private static Receiver member(int number) {
        return new Receiver(
                new SessionKey(queue(number), new HybridId(1, 7)), ClientId.of("member"));
    }

    /** Three sessions and a group, as they are at both. */
    FillDifferenceTest() {
        wire.open();
        for (int i = 1; i <= 3; i++) {
            leader.connect(0, i);
            leader.append(0, queue(i), leader.message("m" + i));
        }
        first = leader.append(0, queue(1), leader.message("first", 2, Message.NEVER));
        leader.shard(0).putGroup(TopicFilter.of("$share/g/t"), 5, queue(4));
        ofGroup = leader.append(0, queue(4), leader.message("of a group", 2, Message.NEVER));
        ofGroup.packetId = 7;
        leader.shard(0).inFlightTo(ofGroup, MEMBER);
        deliver();
        leader.materialise();
        copy.materialise();
    }

    private void deliver() {
        leader.commit();
        wire.deliver(copy);
    }

    private Map<Long, Digest> digests() {
        List<List<Digest>> told = new ArrayList<>();
        copy.store.describeCopies(QUEUES, told::add);
        while (told.isEmpty() && copy.time.step()) {}
        Map<Long, Digest> digests = new HashMap<>();
        for (int i = 0; i < QUEUES.length; i++) {
            digests.put(QUEUES[i], told.getFirst().get(i));
        }
        return digests;
    }

    /** Fills what the copy does not have, and returns which queues these were. */
    private List<Long> fill() {
        Map<Long, Digest> digests = digests();
        List<Long> sent = new ArrayList<>(Arrays.stream(QUEUES).boxed().toList());
        FillAsk.Copied copied =
                (queueId, digest) -> {
                    boolean isSame = digest.isSame(digests.getOrDefault(queueId, new Digest()));
                    if (isSame) {
                        sent.remove(queueId);
                    }
                    return isSame;
                };
        FillAsk ask = new FillAsk(QUEUES, HybridId.NONE, 100, 1 << 20, copied);
        int before = wire.leftOut;
        wire.fill(ask);
        wire.await();
        assertThat(wire.leftOut - before).isEqualTo(QUEUES.length - sent.size());
        wire.deliver(copy);
        return sent;
    }

    /** The copy is away: what the leader does now does not come there. */
    private void away(Runnable change) {
        change.run();
        leader.commit();
        wire.open();
    }

    @Test
    void equal_queues_are_not_sent_from_rows_or_the_window() {
        int bodies = wire.bodies;
        assertThat(fill()).isEmpty();
        for (int i = 1; i <= 3; i++) {
            leader.append(0, queue(i), leader.message("in the window"));
        }
        leader.shard(0).remove(first);
        deliver();
        assertThat(fill()).isEmpty();
        leader.materialise();
        assertThat(fill()).isEmpty();
        copy.materialise();
        assertThat(fill()).isEmpty();
        assertThat(wire.bodies).isEqualTo(bodies);
    }

    @Test
    void queue_with_one_changed_entry_is_sent_alone_and_equal_then() {
        away(() -> leader.append(0, queue(2), leader.message("more")));
        assertThat(fill()).containsExactly(queue(2));
        assertThat(fill()).isEmpty();
        away(() -> leader.shard(0).remove(first));
        assertThat(fill()).containsExactly(queue(1));
        assertThat(fill()).isEmpty();
        copy.materialise();
        assertThat(copy.texts(queue(2))).containsExactly("m2", "more");
    }

    @Test
    void queue_whose_record_differs_is_sent() {
        away(() -> leader.shard(0).putInbound(new Inbound(queue(3), 5, 7, 11)));
        assertThat(fill()).containsExactly(queue(3));
        away(() -> leader.shard(0).putPredecessor(queue(3), queue(9)));
        assertThat(fill()).containsExactly(queue(3));
        assertThat(fill()).isEmpty();
    }

    /** Who takes over has to know that the entry was there. */
    @Test
    void queue_that_has_got_and_lost_an_entry_is_sent_with_what_is_accounted_for() {
        away(() -> {
            Entry gone = leader.append(0, queue(2), leader.message("gone"));
            leader.commit();
            leader.shard(0).remove(gone);
        });
        assertThat(StoreContents.digests(copy).get(queue(2)))
                .isEqualTo(StoreContents.digests(leader).get(queue(2)));
        assertThat(fill()).containsExactly(queue(2));
        assertThat(fill()).isEmpty();
    }

    @Test
    void group_whose_entry_is_assigned_to_another_member_under_the_same_packet_id_is_sent() {
        away(() -> leader.shard(0).inFlightTo(ofGroup, member(2)));
        assertThat(StoreContents.digests(copy).get(queue(4)))
                .isEqualTo(StoreContents.digests(leader).get(queue(4)));
        assertThat(fill()).containsExactly(queue(4));
        leader.materialise();
        copy.materialise();
        assertThat(fill()).isEmpty();
        leader.shard(0).inFlightTo(ofGroup, member(3));
        deliver();
        assertThat(fill()).as("as the window says").isEmpty();
    }

    @Test
    void queue_that_was_led_under_another_epoch_is_sent() {
        away(() -> Objects.requireNonNull(first.queue).epoch = 4);
        assertThat(fill()).containsExactly(queue(1));
        assertThat(fill()).isEmpty();
    }

    @Test
    void queue_that_has_ended_ends_at_the_copy() {
        away(() -> leader.shard(0).removeSession(ClientId.of("c2"), queue(2), leader.stamp()));
        assertThat(fill()).containsExactly(queue(2));
        assertThat(StoreContents.digests(copy)).doesNotContainKey(queue(2));
    }
}
