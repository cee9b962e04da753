package io.godwit.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.SlotLeaders.State;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Single rules of leadership at one node, whose disk and shards answer when the test says so. */
class LeadershipTest {
    private static final int SLOTS = 64;
    private static final LeadershipTimes TIMES = new LeadershipTimes(10_000, 5_000);
    private static final NodeStart SELF = new NodeStart(1, 3);
    private static final NodeStart OTHER = new NodeStart(2, 5);

    private final List<Runnable> disk = new ArrayList<>();
    private final List<Runnable> loads = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private byte[] onDisk = new byte[0];
    private BitSet own = new BitSet();
    private BitSet busy = new BitSet();
    private final BitSet unswitched = new BitSet();
    private long nowMs;
    private Leadership leadership = make();

    private Leadership make() {
        return new Leadership(
                SELF,
                SLOTS,
                TIMES,
                LeadershipRule.ALL,
                new File(),
                new Use(),
                new Peers(),
                l -> {});
    }

    private final class File implements AssignmentsFile {
        @Override
        public byte[] load() {
            return onDisk;
        }

        @Override
        public void save(byte[] table, Runnable whenKept) {
            disk.add(whenKept);
        }
    }

    /** Slots of forgotten members that a follower may take over. */
    private final BitSet copied = new BitSet();

    private final class Use implements SlotUse {
        @Override
        public boolean isLost(int leader, int slot) {
            return !copied.get(slot);
        }

        @Override
        public void holdings(Consumer<BitSet> then) {
            then.accept((BitSet) own.clone());
        }

        @Override
        public void giveUp(BitSet wanted, Consumer<BitSet> then) {
            BitSet given = (BitSet) wanted.clone();
            given.andNot(own);
            given.andNot(busy);
            asked.add("give up " + given.cardinality());
            then.accept(given);
        }

        @Override
        public void lead(BitSet slots, Epoch epoch) {
            asked.add("lead " + slots.cardinality() + " " + epoch);
        }

        @Override
        public void takeOver(int from, BitSet slots, Epoch epoch, Runnable whenLoaded) {
            asked.add("take over " + slots.cardinality() + " from " + from + " " + epoch);
            loads.add(whenLoaded);
        }

        @Override
        public void closeClients(BitSet yielded) {
            asked.add("close clients");
        }

        @Override
        public void stepDown(BitSet slots) {
            asked.add("step down " + slots.cardinality());
        }

        @Override
        public void yieldTo(BitSet slots, int leader, Epoch epoch, LongConsumer then) {
            asked.add("yield " + slots + " to " + leader + " " + epoch);
            own.andNot(slots);
            then.accept(slots.cardinality());
        }

        @Override
        public void setAside(BitSet slots, Epoch epoch, LongConsumer then) {
            asked.add("set aside " + slots + " " + epoch);
            own.andNot(slots);
            then.accept(slots.cardinality());
        }

        @Override
        public boolean hasSwitched(int slot, Epoch epoch) {
            return !unswitched.get(slot);
        }

        @Override
        public long sessionsAside() {
            return 0;
        }
    }

    private final class Peers implements LeadershipPeers {
        @Override
        public void tellLeaders(int server, List<SlotRow> rows) {
            rows.forEach(row ->
                    told.add(server + " leads " + row.slots().cardinality() + " " + row.epoch()));
        }

        @Override
        public void tellHoldings(int server, BitSet slots) {
            told.add(server + " holds " + slots);
        }

        @Override
        public void tellKept(int server, BitSet slots, Epoch epoch) {
            told.add(server + " kept " + slots + " " + epoch);
        }

        @Override
        public void tellDraining(int server, boolean isDraining) {
            told.add(server + " draining " + isDraining);
        }
    }

    private static Nodes nodes(Forgotten forgotten, List<Integer> servers, NodeStart... live) {
        Map<Integer, NodeStart> heard = new TreeMap<>();
        Stream.of(live).forEach(each -> heard.put(each.server(), each));
        List<Member> members =
                servers.stream()
                        .map(server -> new Member(new NodeStart(server, 1), 0, "n" + server, ""))
                        .toList();
        return new Nodes(SELF, members, forgotten, heard, new Slots(servers));
    }

    private static Nodes both() {
        return nodes(Forgotten.NOBODY, List.of(1, 2), SELF, OTHER);
    }

    private void keepAll() {
        while (!disk.isEmpty()) {
            disk.removeFirst().run();
        }
    }

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += 100) {
            leadership.tick(nowMs);
        }
        leadership.tick(nowMs);
    }

    private static BitSet all() {
        BitSet all = new BitSet();
        all.set(0, SLOTS);
        return all;
    }

    private static SlotRow row(BitSet slots, long changes, NodeStart leader) {
        return new SlotRow(new Epoch(changes, leader.start(), leader.server()), slots);
    }

    private static BitSet preferredBy(NodeStart node) {
        BitSet slots = new BitSet();
        Slots orders = new Slots(List.of(1, 2));
        for (int slot = 0; slot < SLOTS; slot++) {
            slots.set(slot, orders.order(slot)[0] == node.server());
        }
        return slots;
    }

    /** The other node leads nothing, and this one everything. */
    private void leadAllBeside(BitSet holdings) {
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1), SELF));
        leadership.begin();
        keepAll();
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.onHoldings(OTHER, holdings);
    }

    @Test
    void a_node_that_is_alone_leads_all_slots_once_they_are_on_its_disk() {
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1), SELF));
        leadership.begin();
        assertThat(asked).isEmpty();
        assertThat(leadership.leaders().count(State.LED)).isZero();
        keepAll();
        assertThat(asked).containsExactly("lead 64 1:1/3");
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS);
        assertThat(leadership.leaders().grants(0)).isTrue();
    }

    @Test
    void a_node_founds_nothing_while_a_member_is_out_of_reach() {
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2), SELF));
        leadership.begin();
        pass(60_000);
        assertThat(disk).isEmpty();
        assertThat(leadership.leaders().count(State.UNKNOWN)).isEqualTo(SLOTS);
    }

    @Test
    void a_node_founds_its_share_once_the_other_has_told_its_table() {
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.begin();
        assertThat(disk).isEmpty();
        leadership.onHoldings(OTHER, new BitSet());
        keepAll();
        assertThat(leadership.leaders().count(State.LED))
                .isEqualTo(preferredBy(SELF).cardinality());
        assertThat(told).contains("2 leads " + preferredBy(SELF).cardinality() + " 1:1/3");
    }

    @Test
    void slots_of_a_former_incarnation_wait_for_the_tables_of_those_that_are_live() {
        ByteWriter kept = new ByteWriter(64);
        SlotRow.write(kept, List.of(row(all(), 4, new NodeStart(1, 2))));
        onDisk = kept.toBytes();
        leadership = make();
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.begin();
        pass(9_900);
        assertThat(disk).isEmpty();
        assertThat(leadership.leaders().count(State.OFFLINE)).isEqualTo(SLOTS);
        pass(200);
        keepAll();
        assertThat(asked).containsExactly("lead 64 5:1/3");
    }

    @Test
    void a_higher_epoch_ends_what_a_node_acts_for_at_once() {
        leadAllBeside(all());
        keepAll();
        BitSet some = new BitSet();
        some.set(3);
        leadership.onLeaders(OTHER, List.of(row(some, 9, OTHER)));
        assertThat(leadership.leaders().acts(3)).isFalse();
        assertThat(leadership.leaders().leader(3)).isEqualTo(OTHER);
    }

    @Test
    void slots_go_to_the_preferred_leader_but_for_those_in_use() {
        own.set(preferredBy(OTHER).nextSetBit(0));
        busy.set(preferredBy(OTHER).nextSetBit(preferredBy(OTHER).nextSetBit(0) + 1));
        int theirs = preferredBy(OTHER).cardinality();
        leadAllBeside(new BitSet());
        assertThat(told).noneMatch(line -> line.endsWith(" 2:2/5"));
        keepAll();
        assertThat(told).contains("2 leads " + (theirs - 2) + " 2:2/5");
        assertThat(leadership.leaders().count(State.ELSEWHERE)).isEqualTo(theirs - 2);
        busy.clear();
        pass(1_100);
        assertThat(leadership.leaders().count(State.ELSEWHERE)).isEqualTo(theirs - 1);
    }

    @Test
    void slots_are_not_given_to_a_preferred_leader_before_all_have_told_what_they_hold() {
        NodeStart third = new NodeStart(3, 1);
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1), SELF));
        leadership.begin();
        keepAll();
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2, 3), SELF, OTHER, third));
        leadership.onUp(OTHER);
        leadership.onUp(third);
        leadership.onHoldings(OTHER, new BitSet());
        pass(60_000);
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS);
        leadership.onHoldings(third, new BitSet());
        assertThat(leadership.leaders().count(State.LED)).isLessThan(SLOTS / 2);
    }

    @Test
    void a_slot_goes_to_the_node_that_has_its_sessions() {
        BitSet held = new BitSet();
        held.set(preferredBy(SELF).nextSetBit(0));
        leadAllBeside(held);
        assertThat(leadership.leaders().leader(held.nextSetBit(0))).isEqualTo(OTHER);
    }

    @Test
    void a_leader_with_sessions_keeps_its_slot_and_tells_the_other_holder_so_once() {
        BitSet held = new BitSet();
        held.set(7);
        own.set(7);
        leadAllBeside(held);
        pass(5_000);
        assertThat(leadership.leaders().acts(7)).isTrue();
        assertThat(leadership.leaders().grants(7)).isTrue();
        assertThat(told.stream().filter(line -> line.contains("kept")))
                .containsExactly("2 kept {7} 1:1/3");
    }

    @Test
    void a_holder_sets_its_sessions_aside_when_the_leader_keeps_the_slot() {
        BitSet held = new BitSet();
        held.set(7);
        own.set(7);
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.onKept(OTHER, held, new Epoch(4, 5, 2));
        assertThat(asked).containsExactly("set aside {7} 4:2/5");
        leadership.onKept(OTHER, held, new Epoch(3, 5, 2));
        assertThat(asked).hasSize(1);
    }

    @Test
    void slots_of_a_forgotten_member_go_to_the_first_live_member_of_their_order() {
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.begin();
        leadership.onLeaders(OTHER, List.of(row(all(), 2, OTHER)));
        leadership.onHoldings(OTHER, new BitSet());
        keepAll();
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2), SELF));
        leadership.onDown(OTHER);
        pass(60_000);
        assertThat(leadership.leaders().count(State.OFFLINE)).isEqualTo(SLOTS);
        leadership.onNodes(nodes(new Forgotten(Set.of(2), 1), List.of(1), SELF));
        keepAll();
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS);
        Epoch taken = Objects.requireNonNull(leadership.leaders().epoch(0));
        assertThat(taken.leader()).isEqualTo(SELF);
        assertThat(asked).containsExactly("lead 64 " + taken);

        // The forgotten node does not know of that and has been started again and again meanwhile.
        NodeStart later = new NodeStart(OTHER.server(), 1_005);
        leadership.onLeaders(later, List.of(row(all(), 1_002, later)));
        assertThat(leadership.leaders().epoch(0)).isEqualTo(taken);
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS);
    }

    @Test
    void slots_of_a_forgotten_member_wait_while_a_follower_may_take_them_over() {
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.begin();
        leadership.onLeaders(OTHER, List.of(row(all(), 2, OTHER)));
        leadership.onHoldings(OTHER, new BitSet());
        keepAll();
        copied.set(3);
        leadership.onNodes(nodes(new Forgotten(Set.of(2), 1), List.of(1), SELF));
        leadership.onDown(OTHER);
        pass(1_000);
        keepAll();
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS - 1);
        copied.clear(3);
        pass(1_000);
        keepAll();
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(SLOTS);
    }

    @Test
    void claims_wait_for_what_live_members_hold_but_not_longer_than_the_time_out() {
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1), SELF));
        leadership.begin();
        keepAll();
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        pass(4_900);
        assertThat(leadership.leaders().grants(0)).isFalse();
        pass(200);
        assertThat(leadership.leaders().grants(0)).isTrue();
    }

    @Test
    void first_live_member_of_the_order_stands_in_for_a_leader_that_is_away_for_a_second() {
        NodeStart third = new NodeStart(3, 1);
        List<Integer> servers = List.of(1, 2, 3);
        leadership.onNodes(nodes(Forgotten.NOBODY, servers, SELF, OTHER, third));
        leadership.onUp(OTHER);
        leadership.begin();
        leadership.onLeaders(OTHER, List.of(row(all(), 2, OTHER)));
        pass(2_000);
        assertThat(leadership.leaders().standIn(0)).as("the leader is live").isNull();

        SlotLeaders before = leadership.leaders();
        leadership.onNodes(nodes(Forgotten.NOBODY, servers, SELF, third));
        leadership.onDown(OTHER);
        pass(900);
        assertThat(leadership.leaders().standIn(0)).as("the link may be back soon").isNull();
        pass(300);
        SlotLeaders now = leadership.leaders();
        assertThat(now.differing(before).cardinality()).isEqualTo(SLOTS);
        for (int slot = 0; slot < SLOTS; slot++) {
            NodeStart first = SELF;
            for (int server : new Slots(servers).order(slot)) {
                if (server != OTHER.server()) {
                    first = server == SELF.server() ? SELF : third;
                    break;
                }
            }
            assertThat(now.standIn(slot)).isEqualTo(first);
        }

        NodeStart again = new NodeStart(OTHER.server(), OTHER.start() + 1);
        leadership.onNodes(nodes(Forgotten.NOBODY, servers, SELF, again, third));
        assertThat(leadership.leaders().state(0)).isEqualTo(State.OFFLINE);
        assertThat(leadership.leaders().standIn(0)).as("it takes its slots soon").isNull();
    }

    // ---------------------------------------------------------------- take-over

    private static final long MORE = 2 << 20;

    private static BitSet slots(int... some) {
        BitSet slots = new BitSet();
        for (int each : some) {
            slots.set(each);
        }
        return slots;
    }

    private Epoch epoch(int slot) {
        return Objects.requireNonNull(leadership.leaders().epoch(slot));
    }

    private void restart(SlotRow... rows) {
        ByteWriter to = new ByteWriter(64);
        SlotRow.write(to, List.of(rows));
        onDisk = to.toBytes();
        leadership = make();
    }

    /** The other node leads everything, and is away. */
    private void loseOther() {
        restart(row(all(), 4, OTHER));
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2), SELF));
        leadership.begin();
    }

    @Test
    void a_slot_that_is_taken_over_is_led_when_it_is_on_the_disk_and_then_loaded() {
        loseOther();
        assertThat(leadership.leaders().state(3)).isEqualTo(State.OFFLINE);
        leadership.takeOver(2, slots(3, 5));
        assertThat(leadership.leaders().state(3)).isEqualTo(State.LOADING);
        assertThat(leadership.leaders().standIn(3)).isNull();
        assertThat(asked).isEmpty();
        keepAll();
        Epoch taken = epoch(3);
        assertThat(taken).isEqualTo(new Epoch(4 + MORE, 3, 1, 1, 2));
        assertThat(asked).containsExactly("take over 2 from 2 " + taken);
        pass(20_000);
        assertThat(leadership.leaders().acts(3)).isFalse();
        assertThat(leadership.leaders().grants(3)).isFalse();
        assertThat(leadership.leaders().leader(3)).isNull();
        loads.removeFirst().run();
        assertThat(asked).last().isEqualTo("lead 2 " + taken);
        assertThat(leadership.leaders().grants(3)).isTrue();
        assertThat(leadership.leaders().count(State.LED)).isEqualTo(2);
        assertThat(leadership.leaders().count(State.OFFLINE)).isEqualTo(SLOTS - 2);
        assertThat(loads).isEmpty();
    }

    @Test
    void slots_that_the_lost_node_does_not_lead_any_more_are_not_taken_over() {
        restart(row(slots(3), 4, OTHER), row(slots(5), 4, new NodeStart(3, 1)));
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2, 3), SELF));
        leadership.begin();
        leadership.takeOver(2, slots(3, 5, 7));
        leadership.takeOver(2, slots(3));
        keepAll();
        assertThat(epoch(3).takeovers()).isEqualTo(1);
        assertThat(epoch(5).server()).isEqualTo(3);
        assertThat(leadership.leaders().epoch(7)).isNull();
    }

    @Test
    void what_was_taken_over_is_loaded_again_after_a_start_under_the_next_epoch() {
        restart(new SlotRow(new Epoch(4 + MORE, 2, 1, 1, 2), slots(3)));
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2), SELF));
        leadership.begin();
        keepAll();
        Epoch taken = new Epoch(5 + MORE, 3, 1, 1, 2);
        assertThat(asked).containsExactly("take over 1 from 2 " + taken);
        assertThat(leadership.leaders().state(3)).isEqualTo(State.LOADING);
        loads.removeFirst().run();
        assertThat(asked).last().isEqualTo("lead 1 " + taken);
    }

    @Test
    void a_node_loads_from_the_one_that_it_has_taken_over_from_until_all_is_there() {
        restart(new SlotRow(new Epoch(4 + MORE, 2, 1, 1, 2), slots(3)));
        assertThat(leadership.isLoadingFrom(2)).as("before anything has begun").isTrue();
        assertThat(leadership.isLoadingFrom(3)).isFalse();
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1, 2), SELF));
        leadership.begin();
        keepAll();
        assertThat(leadership.isLoadingFrom(2)).isTrue();
        loads.removeFirst().run();
        assertThat(leadership.isLoadingFrom(2)).isFalse();
    }

    @Test
    void a_node_loads_nothing_that_another_one_has_taken_over_since() {
        loseOther();
        leadership.takeOver(2, slots(3));
        assertThat(leadership.isLoadingFrom(2)).isTrue();
        NodeStart third = new NodeStart(3, 1);
        leadership.onLeaders(third, List.of(new SlotRow(epoch(3).takenOver(third), slots(3))));
        assertThat(leadership.isLoadingFrom(2)).isFalse();
    }

    @Test
    void a_slot_that_is_beaten_while_it_is_loaded_is_not_led_when_that_is_done() {
        loseOther();
        leadership.takeOver(2, slots(3));
        keepAll();
        NodeStart third = new NodeStart(3, 1);
        Epoch later = epoch(3).takenOver(third);
        leadership.onLeaders(third, List.of(new SlotRow(later, slots(3))));
        assertThat(asked).endsWith("step down 1", "yield {3} to 3 " + later, "close clients");
        own.set(3); // What has been loaded.
        loads.removeFirst().run();
        assertThat(asked).last().isEqualTo("yield {3} to 3 " + later);
        assertThat(leadership.leaders().acts(3)).isFalse();
        assertThat(asked).filteredOn(line -> line.startsWith("step down")).hasSize(1);
    }

    @Test
    void a_slot_is_not_loaded_a_second_time_before_the_first_is_done() {
        loseOther();
        leadership.takeOver(2, slots(3));
        keepAll();
        NodeStart third = new NodeStart(3, 1);
        leadership.onLeaders(third, List.of(new SlotRow(epoch(3).takenOver(third), slots(3))));
        leadership.takeOver(3, slots(3));
        keepAll();
        assertThat(loads).hasSize(1);
        loads.removeFirst().run();
        assertThat(loads).hasSize(1);
        assertThat(asked).last().isEqualTo("take over 1 from 3 " + epoch(3));
        assertThat(leadership.leaders().acts(3)).isFalse();
        loads.removeFirst().run();
        assertThat(asked).last().isEqualTo("lead 1 " + epoch(3));
    }

    @Test
    void a_leader_whose_slot_was_taken_over_steps_down_and_yields_its_sessions_once() {
        own.set(3);
        own.set(5);
        leadAllBeside(new BitSet());
        keepAll();
        asked.clear();
        Epoch taken = epoch(3).takenOver(OTHER);
        leadership.onLeaders(OTHER, List.of(new SlotRow(taken, slots(3, 4))));
        assertThat(asked).startsWith("step down 2", "yield {3, 4} to 2 " + taken, "close clients");
        pass(5_000);
        leadership.onLeaders(OTHER, List.of(new SlotRow(taken.next(OTHER), slots(3, 4))));
        assertThat(asked).filteredOn(line -> line.contains("yield")).hasSize(1);
        assertThat(asked).filteredOn(line -> line.contains("clients")).hasSize(1);
        assertThat(own).isEqualTo(slots(5));
        assertThat(leadership.leaders().leader(3)).isEqualTo(OTHER);
    }

    @Test
    void sessions_are_yielded_when_all_have_switched_and_may_take_their_time() {
        own.set(3);
        leadAllBeside(new BitSet());
        keepAll();
        asked.clear();
        Epoch taken = epoch(3).takenOver(OTHER);
        unswitched.set(3);
        leadership.onLeaders(OTHER, List.of(new SlotRow(taken, slots(3))));
        pass(5_000);
        assertThat(asked).noneMatch(line -> line.contains("yield"));
        assertThat(leadership.unsettled()).isEqualTo(slots(3));
        unswitched.clear(3);
        assertThat(leadership.unsettled()).as("it is still here").isEqualTo(slots(3));
        assertThat(leadership.hasOlder()).isTrue();
        pass(5_000);
        assertThat(asked).contains("yield {3} to 2 " + taken);
        assertThat(leadership.hasOlder()).isFalse();
        assertThat(leadership.unsettled()).isEqualTo(new BitSet());
    }

    @Test
    void a_leader_whose_slot_is_given_elsewhere_closes_no_clients() {
        leadAllBeside(all());
        keepAll();
        leadership.onLeaders(OTHER, List.of(row(slots(3), 9, OTHER)));
        assertThat(asked).doesNotContain("close clients");
    }

    @Test
    void sessions_of_before_a_take_over_are_yielded_at_the_start() {
        own.set(3);
        own.set(5);
        Epoch taken = new Epoch(4 + MORE, 5, 2, 1, 1);
        restart(new SlotRow(taken, slots(3)), row(slots(5), 4, OTHER));
        leadership.onNodes(both());
        leadership.begin();
        assertThat(asked).containsExactly("yield {3} to 2 " + taken);
        leadership.onUp(OTHER);
        assertThat(told).contains("2 holds {5}");
    }

    @Test
    void a_start_is_not_settled_before_it_has_switched_over_to_who_has_taken_slots_over() {
        restart(row(all(), 4, OTHER));
        leadership.onNodes(both());
        leadership.begin();
        assertThat(leadership.isSettled()).isFalse();
        leadership.onUp(OTHER);
        Epoch taken = new Epoch(4 + MORE, 5, 2, 1, 3);
        unswitched.set(3);
        leadership.onLeaders(OTHER, List.of(new SlotRow(taken, slots(3))));
        leadership.onHoldings(OTHER, slots(3));
        assertThat(leadership.isSettled()).isFalse();
        unswitched.clear(3);
        assertThat(leadership.isSettled()).isTrue();
    }

    @Test
    void sessions_of_before_a_take_over_are_yielded_before_their_slot_is_loaded_here() {
        own.set(3);
        leadAllBeside(all());
        keepAll();
        loads.clear();
        asked.clear();
        Epoch taken = epoch(3).takenOver(OTHER);
        leadership.onLeaders(OTHER, List.of(new SlotRow(taken, slots(3))));
        leadership.takeOver(2, slots(3));
        keepAll();
        assertThat(asked)
                .containsSubsequence("yield {3} to 2 " + taken, "take over 1 from 2 " + epoch(3));
        own.set(3); // What was loaded.
        loads.removeFirst().run();
        pass(5_000);
        assertThat(asked).filteredOn(line -> line.contains("yield")).hasSize(1);
        assertThat(leadership.leaders().acts(3)).isTrue();
    }

    @Test
    void holders_of_a_slot_that_was_taken_over_are_told_that_it_stays_though_it_is_empty() {
        loseOther();
        leadership.takeOver(2, all());
        keepAll();
        loads.removeFirst().run();
        asked.clear();
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        int held = preferredBy(OTHER).nextSetBit(0);
        leadership.onHoldings(OTHER, slots(held));
        keepAll();
        assertThat(told).contains("2 kept {" + held + "} " + epoch(held));
        assertThat(leadership.leaders().acts(held)).isTrue();
        assertThat(leadership.leaders().grants(held)).isTrue();
        // Others go to the node that prefers them, and this one when the sessions are aside.
        assertThat(leadership.leaders().count(State.ELSEWHERE))
                .isEqualTo(preferredBy(OTHER).cardinality() - 1);
        leadership.onHoldings(OTHER, new BitSet());
        keepAll();
        assertThat(epoch(held)).isEqualTo(new Epoch(5 + MORE, 5, 2, 1, 0));
    }

    @Test
    void a_node_that_drains_gives_what_nothing_uses_and_gets_nothing() {
        leadership.onNodes(nodes(Forgotten.NOBODY, List.of(1), SELF));
        leadership.begin();
        keepAll();
        leadership.onNodes(both());
        leadership.onUp(OTHER);
        leadership.onDraining(OTHER, true);
        leadership.onHoldings(OTHER, new BitSet());
        pass(2_000);
        keepAll();
        assertThat(leadership.leaders().ledBy(1)).isEqualTo(all());
        leadership.onDraining(OTHER, false);
        pass(2_000);
        keepAll();
        assertThat(leadership.leaders().ledBy(2)).isEqualTo(preferredBy(OTHER));
        leadership.drain(true);
        assertThat(told).contains("2 draining true");
        pass(2_000);
        keepAll();
        assertThat(leadership.leaders().ledBy(2)).isEqualTo(all());
    }
}
