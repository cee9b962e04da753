package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.node.SettableTime;
import io.godwit.core.store.KeptStore;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

/** Switch-overs of one source, told by others. */
class SwitchOversTest {
    private static final int SLOT = 7;
    private static final int LEADS_NOTHING = 9;

    private final SourceNode node =
            new SourceNode(
                    1,
                    StreamRules.ALL,
                    new KeptStore(1),
                    new SettableTime(),
                    (gone, loadedBy) -> gone == LEADS_NOTHING);

    /** Others are away, so that nothing waits for what is retained. */
    private void tell(int server, int from, long epoch) {
        BitSet slots = new BitSet();
        slots.set(SLOT);
        node.onEachShard(each -> each.onAway(server));
        node.onOwner(() ->
                node.overs.loaded(
                        new NodeStart(server, 1),
                        new StreamRecord.Loaded(1, from, epoch, slots),
                        () -> {}));
        node.node.settle();
    }

    @Test
    void a_take_over_that_is_told_late_does_not_count_after_a_later_one() {
        tell(4, 3, 20);
        assertThat(node.overs.hasSwitched(SLOT, 4)).isTrue();
        tell(3, 2, 10);
        assertThat(node.overs.hasSwitched(SLOT, 4)).isTrue();
    }

    @Test
    void two_nodes_that_take_over_at_once_do_not_wait_for_each_other() {
        node.up(new LoopLink(node.start(), new NodeStart(2, 1), 1));
        BitSet own = new BitSet();
        own.set(SLOT + 1);
        // Node 2 answers that when it has switched over to this one.
        node.onOwner(() -> node.overs.tookOver(node.start(), 1, 3, 20, own, () -> {}));
        node.node.settle();
        BitSet others = new BitSet();
        others.set(SLOT);
        node.onOwner(() ->
                node.overs.loaded(
                        new NodeStart(2, 1), new StreamRecord.Loaded(1, 3, 20, others), () -> {}));
        node.node.settle();
        assertThat(node.overs.hasSwitched(SLOT, 2)).isTrue();
    }

    @Test
    void each_take_over_is_followed_in_turn() {
        tell(3, 2, 10);
        assertThat(node.overs.hasSwitched(SLOT, 3)).isTrue();
        tell(4, 3, 20);
        assertThat(node.overs.hasSwitched(SLOT, 4)).isTrue();
    }

    /** Until then a node that is forgotten is not over: the rest would go to anyone. */
    @Test
    void what_is_for_groups_of_a_lost_node_is_given_when_all_shards_have_done_it() {
        boolean[] isAtOnce = {true};
        node.onOwner(() -> {
            node.overs.groupsTaken(LEADS_NOTHING, 3);
            isAtOnce[0] = node.overs.hasGivenGroups(LEADS_NOTHING);
        });
        node.node.settle();
        assertThat(isAtOnce[0]).isFalse();
        assertThat(node.overs.hasGivenGroups(LEADS_NOTHING)).isTrue();
        node.onOwner(() -> node.overs.onHeard(LEADS_NOTHING));
        node.node.settle();
        assertThat(node.overs.hasGivenGroups(LEADS_NOTHING))
                .as("more may be on its way there since")
                .isFalse();
    }
}
