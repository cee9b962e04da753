package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.PacketType;
import io.godwit.core.routing.TopicIndex;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers to a shared group, when node 1 takes over what node 2 leads, which is gone. */
class GroupsTakenFromTest extends GroupsFixture {
    private static final int TAKER = 1;
    private static final int GONE = 2;

    private void dies() {
        nodes.node(GONE).crash();
        nodes.settle();
        nodes.pass(2_000);
    }

    private void takeOverSlots() {
        BrokerCluster taker = nodes.node(TAKER).part();
        SlotLeaders leaders = taker.slots().leaders();
        BitSet slots = new BitSet();
        for (int slot = 0; slot < leaders.size(); slot++) {
            Epoch epoch = leaders.epoch(slot);
            slots.set(slot, epoch != null && epoch.server() == GONE);
        }
        taker.slots().takeOver(GONE, slots);
        nodes.settle();
    }

    private void takeOverGroups() {
        LoopNodes.One taker = nodes.node(TAKER);
        taker.node()
                .broker()
                .shard(TopicIndex.OWNER)
                .execute(() -> taker.part().takeOvers().takeOverGroups(GONE));
        nodes.settle();
        nodes.pass(2_000);
    }

    private static int answered(TestClient publisher) {
        return acks(publisher, PacketType.PUBACK).size()
                + acks(publisher, PacketType.PUBREC).size();
    }

    /** All that a member gets, which acknowledges it. */
    private List<String> takeAll(TestClient member) {
        int before;
        do {
            before = member.packets().size();
            take(member);
        } while (member.packets().size() > before);
        return member.payloads();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void message_that_the_lost_node_has_not_answered_goes_to_a_member_elsewhere(int qos) {
        member(GONE, "lost", 2, 1_000);
        TestClient publisher = publisher(3);
        nodes.node(3).linkTo(GONE).isSlow = true;
        List<String> said = new ArrayList<>(publish(publisher, qos, 5));
        TestClient member = member(TAKER, "other", 2, 1_000);
        dies();
        assertThat(answered(publisher)).isZero();

        takeOverSlots();
        assertThat(answered(publisher)).as("they wait for its groups").isZero();
        takeOverGroups();

        assertThat(answered(publisher)).isEqualTo(5);
        said.addAll(publish(publisher, qos, 5));
        assertThat(takeAll(member)).containsExactlyInAnyOrderElementsOf(said);
    }

    /** Publishes at node 3; answers of the other node do not come back. */
    private List<String> publishWithoutAnswers(TestClient publisher) {
        nodes.node(3).slowFrom = GONE;
        List<String> said = new ArrayList<>(publish(publisher, 1, 1));
        said.addAll(publish(publisher, 0, 5));
        return said;
    }

    @Test
    void qos_0_message_that_the_lost_node_has_delivered_goes_to_no_other_member() {
        TestClient lost = member(GONE, "lost", 2, 1_000);
        List<String> said = publishWithoutAnswers(publisher(3));
        assertThat(lost.payloads()).containsExactlyElementsOf(said);
        TestClient member = member(TAKER, "other", 2, 1_000);
        dies();
        takeOverSlots();
        takeOverGroups();

        assertThat(takeAll(member)).as("of QoS 1 alone").containsExactly(said.getFirst());
    }

    /** As above, with members whose sessions end with their node. */
    @Test
    void qos_0_message_that_a_transient_member_has_got_goes_to_no_other_member() {
        TestClient lost = member(GONE, "lost", 2, 0);
        List<String> said = publishWithoutAnswers(publisher(3));
        assertThat(lost.payloads()).containsExactlyElementsOf(said);
        TestClient member = member(TAKER, "other", 2, 1_000);
        dies();

        assertThat(takeAll(member)).containsExactly(said.getFirst());
    }

    @Test
    void qos_0_message_that_an_earlier_start_has_delivered_goes_to_no_other_member() {
        TestClient lost = member(GONE, "lost", 2, 0);
        List<String> said = publishWithoutAnswers(publisher(3));
        TestClient member = member(TAKER, "other", 2, 1_000);
        nodes.node(3).slowFrom = 0;
        nodes.node(GONE).crash();
        nodes.node(GONE).restart();
        nodes.pass(2_000);

        assertThat(lost.payloads()).containsExactlyElementsOf(said);
        assertThat(takeAll(member)).containsExactly(said.getFirst());
    }

    @Test
    void groups_of_a_node_that_leads_slots_wait_for_it() {
        member(GONE, "lost", 2, 1_000);
        TestClient publisher = publisher(3);
        nodes.node(3).linkTo(GONE).isSlow = true;
        publish(publisher, 1, 5);
        member(TAKER, "other", 2, 1_000);
        dies();
        takeOverGroups();
        assertThat(answered(publisher)).isZero();

        takeOverSlots();
        nodes.pass(2_000);
        assertThat(answered(publisher)).isEqualTo(5);
    }

    /** Nobody can have taken in what was on its way to it, and nobody takes its groups over. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void message_that_a_forgotten_node_has_not_answered_goes_to_a_member_elsewhere(int qos) {
        member(GONE, "lost", 2, 1_000);
        TestClient publisher = publisher(3);
        nodes.node(3).linkTo(GONE).isSlow = true;
        List<String> said = new ArrayList<>(publish(publisher, qos, 5));
        TestClient member = member(TAKER, "other", 2, 1_000);
        dies();
        takeOverSlots();
        nodes.forget(GONE);
        nodes.pass(12_000);

        assertThat(answered(publisher)).isEqualTo(5);
        assertThat(takeAll(member)).containsExactlyInAnyOrderElementsOf(said);
    }
}
