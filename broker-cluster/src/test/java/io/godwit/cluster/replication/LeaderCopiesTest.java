package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.message.Digest;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A leader's parts at its followers. */
class LeaderCopiesTest {
    private static final int SET = 3;

    private CopyNetwork network(int copies, int others) {
        CopyNetwork made = new CopyNetwork(new SplittableRandom(1), copies, others);
        made.begin();
        return made;
    }

    private static Follower followerOf(CopyNetwork network, int set) {
        long position = network.write(set);
        network.settle();
        assertThat(network.leader.has(set, position)).isTrue();
        return Objects.requireNonNull(
                network.followers.get(network.having(set, network.lastEntry()).iterator().next()));
    }

    @Test
    void part_counts_when_its_follower_has_it_on_its_disk() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        long position = network.write(SET);
        assertThat(network.leader.has(SET, position)).isFalse();
        assertThat(network.leader.has(SET + 1, position)).as("another set").isTrue();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
        assertThat(network.leader.bytes()).isZero();
    }

    @Test
    void alarm_of_a_follower_is_told_when_it_begins_ends_and_on_each_new_link() {
        CopyNetwork network = network(2, 1);
        Follower follower = network.followers.values().iterator().next();
        network.pass(10_000);
        assertThat(network.leader.isFollowerFull()).isFalse();
        follower.copies.full(true);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isTrue();
        assertThat(network.leader.status().isWhole()).isTrue();
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).as("it takes everything").isTrue();

        network.cut(follower);
        network.settle();
        follower.copies.full(false);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isTrue();
        network.link(follower);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isFalse();

        follower.copies.full(true);
        network.settle();
        network.cut(follower);
        network.pass(6_000);
        assertThat(network.leader.isFollowerFull()).as("it is no follower any more").isFalse();
    }

    @Test
    void queues_without_copies_are_copied_while_their_node_gives_all() {
        CopyNetwork network = network(1, 2);
        network.pass(10_000);
        long before = network.write(SET);
        assertThat(network.leader.has(SET, before)).as("nobody follows").isTrue();
        BitSet set = new BitSet();
        set.set(SET);
        assertThat(network.leader.give(set, any -> true).isEmpty()).isTrue();
        network.leader.giveAll(true);
        network.pass(10_000);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
        assertThat(network.leader.give(set, any -> true)).isEqualTo(set);
        network.leader.giveAll(false);
        network.pass(10_000);
        long later = network.write(SET + 1);
        assertThat(network.leader.has(SET + 1, later)).as("nobody follows any more").isTrue();
        assertThat(network.having(SET + 1, network.lastEntry())).isEmpty();
    }

    @Test
    void set_without_copies_is_copied_to_the_node_that_is_to_get_it() {
        CopyNetwork network = network(1, 3);
        network.pass(10_000);
        network.write(SET);
        network.leader.copyFirst(SET, 3);
        network.pass(10_000);
        network.write(SET + 1);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).containsExactly(3);
        BitSet both = new BitSet();
        both.set(SET, SET + 2);
        assertThat(network.leader.give(both, any -> true).stream()).containsExactly(SET);
        network.leader.copyFirst(0, 0);
        network.pass(1_000);
        assertThat(network.leader.status().followers())
                .as("who is to take it stays")
                .singleElement()
                .satisfies(each -> assertThat(each.sets()).isEqualTo(1));
    }

    @Test
    void nothing_of_a_copy_set_counts_after_it_was_given() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        BitSet set = new BitSet();
        set.set(SET);
        assertThat(network.leader.give(set, any -> false).isEmpty()).isTrue();
        assertThat(network.leader.give(set, any -> true)).isEqualTo(set);
        long position = network.write(SET);
        network.settle();
        network.pass(2_000);
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
        assertThat(network.leader.has(SET, position)).isFalse();
        position = network.write(SET + 1);
        network.settle();
        assertThat(network.leader.has(SET + 1, position)).as("another set").isTrue();
        assertThat(network.leader.give(set, any -> true).isEmpty()).as("twice").isTrue();
    }

    /** Followers confirm what the new leader has refused, and a source may redirect it yet. */
    @Test
    void nothing_of_a_copy_set_counts_until_all_have_switched_over_to_who_has_taken_it() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        BitSet only = new BitSet();
        only.set(SET);
        network.unswitched.or(CopySets.slots(only));
        long position = network.write(SET);
        network.settle();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        long other = network.write(SET + 1);
        network.settle();
        assertThat(network.leader.has(SET + 1, other)).as("another set").isTrue();
        network.unswitched.clear();
        network.pass(200);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    /**
     * Its stream was opened before, when it was a follower of other slots, and what it confirms of
     * it is no answer to the new opening.
     */
    @Test
    void nothing_is_written_at_a_follower_that_still_serves_slots_that_were_taken_from_it() {
        CopyNetwork network = network(2, 1);
        network.pass(10_000);
        BitSet only = new BitSet();
        only.set(SET);
        Follower former = followerOf(network, SET);
        former.isDiskStopped = true;
        network.write(SET);
        int before = network.lastEntry();
        network.settle();
        former.served.or(CopySets.slots(only));
        network.led.or(CopySets.slots(only));
        network.leader.onLeaders();
        long position = network.write(SET);
        network.settle();
        former.isDiskStopped = false;
        network.settle();
        network.pass(2_000);
        assertThat(network.having(SET, before)).containsExactly(former.server);
        assertThat(network.having(SET, network.lastEntry())).isEmpty();
        assertThat(network.leader.has(SET, position)).isFalse();
        former.served.clear();
        network.pass(500);
        assertThat(network.having(SET, network.lastEntry())).containsExactly(former.server);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void follower_that_stops_in_order_is_replaced_at_once_and_chosen_again_when_it_is_back() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower leaving = followerOf(network, SET);
        leaving.copies.leave();
        network.settle();
        network.pass(200);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry()))
                .hasSize(1)
                .doesNotContain(leaving.server);
        network.pass(20_000);
        assertThat(network.leader.status().followers()).as("its link is still there").hasSize(1);
        leaving.crash();
        network.settle();
        network.link(leaving);
        network.pass(20_000);
        assertThat(network.leader.status().followers()).hasSize(2);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void sets_have_their_followers_at_all_nodes() {
        CopyNetwork network = network(2, 4);
        network.pass(10_000);
        assertThat(network.leader.status().followers())
                .hasSizeGreaterThan(2)
                .allMatch(each -> each.sets() < CopySets.LAST);
    }

    @Test
    void three_copies_are_at_two_followers() {
        CopyNetwork network = network(3, 3);
        network.pass(10_000);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(2);
    }

    @Test
    void node_that_is_alone_waits_for_nobody() {
        CopyNetwork network = new CopyNetwork(new SplittableRandom(1), 2, 0);
        network.leader.begin(false);
        assertThat(network.leader.has(SET, network.write(SET))).isTrue();
        network.pass(1_000);
        assertThat(network.leader.status().isWhole()).isFalse();
        assertThat(network.leader.status().leftMs()).isEqualTo(-1);
    }

    @Test
    void what_is_written_before_followers_are_chosen_waits_for_them() {
        CopyNetwork network = network(2, 2);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isFalse();
        assertThat(network.leader.bytes()).isPositive();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
    }

    @Test
    void start_goes_on_alone_when_no_follower_comes() {
        CopyNetwork network = new CopyNetwork(new SplittableRandom(1), 2, 2);
        network.leader.begin(true);
        long position = network.write(SET);
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void stopped_follower_holds_its_sets_alone_and_what_it_is_owed_goes_to_the_next() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower stopped = followerOf(network, SET);
        int other =
                IntStream.rangeClosed(1, CopySets.LAST)
                        .filter(set -> followerOf(network, set) != stopped)
                        .findFirst()
                        .orElseThrow();
        stopped.isStopped = true;
        long position = network.write(SET);
        int owed = network.lastEntry();
        network.pass(4_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        long elsewhere = network.write(other);
        network.settle();
        assertThat(network.leader.has(other, elsewhere)).isTrue();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, owed)).hasSize(1).doesNotContain(stopped.server);
    }

    @Test
    void follower_that_has_ended_holds_its_sets_for_two_seconds() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower ended = followerOf(network, SET);
        network.cut(ended);
        network.ended.add(ended.server);
        long position = network.write(SET);
        network.pass(1_900);
        assertThat(network.leader.has(SET, position)).as("it may be back at once").isFalse();
        network.pass(200);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry()))
                .hasSize(1)
                .doesNotContain(ended.server);
    }

    @Test
    void follower_that_has_ended_holds_its_sets_for_longer_while_another_member_is_away() {
        CopyNetwork network = members(2);
        Follower whole = wholeFollower(network);
        network.cut(bystander(network));
        network.pass(1_000);
        network.cut(whole);
        network.ended.add(whole.server);
        long position = network.write(SET);
        network.pass(4_500);
        assertThat(network.leader.has(SET, position)).isFalse();
        network.pass(1_000);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void commit_that_ends_after_its_link_is_confirmed_by_the_next_one() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        follower.isDiskStopped = true;
        long position = network.write(SET);
        network.settle();
        network.cut(follower);
        network.settle();
        network.link(follower);
        network.settle();
        assertThat(network.leader.has(SET, position)).isFalse();
        follower.isDiskStopped = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    /** Ticks until it has asked. */
    private static CopyFill askingFill(CopyStream stream, PeerLink link, List<long[]> asked) {
        return askingFill(stream, link, asked, List.of());
    }

    /**
     * Ticks until it has asked.
     *
     * @param adopted parts that name adopted queues
     */
    private static CopyFill askingFill(
            CopyStream stream, PeerLink link, List<long[]> asked, List<byte[]> adopted) {
        CopyStore store =
                (CopyStore)
                        Proxy.newProxyInstance(
                                CopyStore.class.getClassLoader(),
                                new Class<?>[] {CopyStore.class},
                                (proxy, method, arguments) -> {
                                    if (method.getName().equals("adoptedOf")) {
                                        taker(arguments[1]).accept(adopted);
                                    } else {
                                        asked.add((long[]) arguments[0]);
                                    }
                                    return null;
                                });
        CopyFill fill =
                new CopyFill(
                        1,
                        stream,
                        store,
                        Runnable::run,
                        CopySettings.NONE,
                        CopyRules.ALL,
                        BitSet::new,
                        new BitSet());
        stream.onUp(link, new BitSet());
        stream.onAt(link, 1, 0, 0, false);
        fill.add(SET);
        fill.passed(100, true);
        assertThat(stream.asksForHas()).isTrue();
        return fill;
    }

    @SuppressWarnings("unchecked")
    private static Consumer<List<byte[]>> taker(Object of) {
        return (Consumer<List<byte[]>>) of;
    }

    private static CopyMessages.Has has(long position, int flags, long... queueIds) {
        List<Digest> digests =
                Arrays.stream(queueIds).mapToObj(each -> new Digest(each, 1)).toList();
        return new CopyMessages.Has(1, position, flags, queueIds, digests);
    }

    private static PeerLink link() {
        return new OpenLink();
    }

    private static final class OpenLink extends TestLink {
        @Override
        public NodeStart peer() {
            return new NodeStart(2, 1);
        }

        @Override
        public boolean hasRoom(TrafficClass traffic) {
            return false;
        }

        @Override
        public boolean offer(Outgoing message) {
            return true;
        }
    }

    @Test
    void answer_that_was_cut_short_does_not_count_beside_the_next_one() {
        List<long[]> asked = new ArrayList<>();
        PeerLink link = link();
        CopyFill fill = askingFill(new CopyStream(2, 1, CopyRules.ALL), link, asked);
        fill.has(link, has(0, CopyMessages.HAS_FIRST, 5, 9));
        fill.has(link, has(0, CopyMessages.HAS_FIRST, 5, 9));
        fill.has(link, has(0, CopyMessages.HAS_LAST, 11));
        assertThat(asked).containsExactly(new long[] {5, 9, 11});
    }

    /** What is owed to a follower it may have had from another stream. */
    @Test
    void answer_from_before_parts_that_were_owed_when_it_was_asked_for_does_not_count() {
        List<long[]> asked = new ArrayList<>();
        PeerLink link = link();
        CopyStream stream = new CopyStream(2, 1, CopyRules.ALL);
        stream.add(new StreamPart(SET, new byte[1], null));
        CopyFill fill = askingFill(stream, link, asked);
        fill.has(link, has(0, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 5));
        assertThat(asked).isEmpty();
        fill.has(link, has(1, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 5, 9));
        assertThat(asked).containsExactly(new long[] {5, 9});
    }

    /** Before that the former leader's parts may change the copy, unknown to this one. */
    @Test
    void answer_from_before_adopted_queues_are_named_does_not_count() {
        List<long[]> asked = new ArrayList<>();
        PeerLink link = link();
        CopyStream stream = new CopyStream(2, 1, CopyRules.ALL);
        CopyFill fill = askingFill(stream, link, asked, List.of(new byte[17]));
        assertThat(stream.last()).isEqualTo(1);
        assertThat(fill.filledBytes()).isEqualTo(17);
        fill.has(link, has(0, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 5));
        assertThat(asked).isEmpty();
        fill.has(link, has(1, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 5));
        assertThat(asked).containsExactly(new long[] {5});
    }

    /** The follower may have died, and lost what it had told of. */
    @Test
    void answer_does_not_count_when_its_link_is_gone_before_the_set_is_whole() {
        List<long[]> asked = new ArrayList<>();
        PeerLink link = link();
        CopyStream stream = new CopyStream(2, 1, CopyRules.ALL);
        CopyFill fill = askingFill(stream, link, asked);
        fill.has(link, has(0, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 5));
        stream.onDown(link);
        PeerLink next = link();
        stream.onUp(next, new BitSet());
        stream.onAt(next, 2, 0, 0, false);
        fill.passed(100, true);
        assertThat(stream.asksForHas()).isTrue();
        fill.has(link, has(0, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 7));
        fill.has(next, has(0, CopyMessages.HAS_FIRST | CopyMessages.HAS_LAST, 9));
        assertThat(asked).containsExactly(new long[] {5}, new long[] {9});
    }

    @Test
    void follower_that_returns_is_filled_with_what_it_lacks() {
        CopyNetwork network = network(2, 1);
        for (int set = 1; set <= CopySets.LAST; set++) {
            network.write(set);
        }
        network.pass(10_000);
        network.restartLeader(2);
        network.pass(10_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        assertThat(network.leader.leftOut()).as("equal").isEqualTo(CopySets.LAST);
        assertThat(network.leader.filledBytes()).isZero();

        Follower away = network.followers.values().iterator().next();
        network.cut(away);
        network.write(SET);
        network.pass(30_000);
        network.link(away);
        network.pass(30_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        assertThat(network.leader.leftOut()).as("all but one").isEqualTo(2 * CopySets.LAST - 1);
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
        assertThat(network.verify().differs()).isFalse();
    }

    @Test
    void node_without_a_disk_refuses_and_another_one_follows() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower refusing = followerOf(network, SET);
        refusing.refuses = true;
        refusing.crash();
        network.link(refusing);
        network.pass(10_000);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry()))
                .hasSize(1)
                .doesNotContain(refusing.server);
    }

    @Test
    void follower_that_restarts_at_once_goes_on_by_parts() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        network.cut(follower);
        long position = network.write(SET);
        network.pass(1_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        follower.crash();
        network.link(follower);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).containsExactly(follower.server);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void follower_that_has_lost_its_disk_is_filled_anew() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        int before = network.lastEntry();
        follower.wipe();
        network.link(follower);
        network.pass(10_000);
        assertThat(network.having(SET, before)).containsExactly(follower.server);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void node_that_comes_back_gets_its_sets_again_once_it_has_everything() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        network.cut(follower);
        network.pass(8_000);
        long position = network.write(SET);
        int meanwhile = network.lastEntry();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, meanwhile)).doesNotContain(follower.server);
        network.pass(8_000);
        network.link(follower);
        network.pass(15_000);
        assertThat(network.having(SET, meanwhile)).contains(follower.server);
        network.write(SET);
        network.settle();
        assertThat(network.having(SET, network.lastEntry())).containsExactly(follower.server);
    }

    @Test
    void only_node_that_was_given_up_for_its_disk_is_chosen_when_it_confirms_again() {
        CopyNetwork network = network(2, 1);
        network.pass(10_000);
        Follower only = followerOf(network, SET);
        only.isDiskStopped = true;
        network.write(SET);
        network.pass(7_000);
        assertThat(network.leader.status().followers()).as("it is not heard").isEmpty();
        only.isDiskStopped = false;
        network.pass(300);
        assertThat(network.leader.status().followers()).hasSize(1);
        network.pass(1_000);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void only_node_that_was_given_up_for_its_silence_is_chosen_when_it_is_heard_again() {
        CopyNetwork network = network(2, 1);
        network.pass(10_000);
        Follower only = followerOf(network, SET);
        only.isStopped = true;
        network.pass(12_000);
        assertThat(network.leader.status().followers()).isEmpty();
        only.isStopped = false;
        network.pass(300);
        assertThat(network.leader.status().followers()).hasSize(1);
    }

    @Test
    void only_node_that_was_given_up_and_starts_again_is_chosen_at_once() {
        CopyNetwork network = network(2, 1);
        network.pass(10_000);
        Follower only = followerOf(network, SET);
        network.cut(only);
        network.pass(6_000);
        assertThat(network.leader.status().followers()).isEmpty();
        only.crash();
        network.link(only);
        network.pass(1_500);
        assertThat(network.leader.status().followers()).hasSize(1);
    }

    @Test
    void node_that_was_given_up_waits_while_others_are_there() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower slow = followerOf(network, SET);
        slow.isDiskStopped = true;
        network.write(SET);
        network.pass(6_000);
        slow.isDiskStopped = false;
        network.pass(3_000);
        assertThat(network.leader.status().followers())
                .hasSize(1)
                .noneMatch(each -> each.server() == slow.server);
        network.pass(10_000);
        assertThat(network.leader.status().followers()).hasSize(2);
    }

    // ---------------------------------------------------------------- records

    private static CopyRecord record(CopyNetwork network) {
        return network.leader.records().get(SET - 1);
    }

    /** A node that does not follow the copy set. */
    private static Follower bystander(CopyNetwork network) {
        return network.followers.values().stream()
                .filter(each -> !record(network).whole().contains(each.server))
                .filter(each -> !record(network).filling().contains(each.server))
                .reduce((any, last) -> last)
                .orElseThrow();
    }

    private static Follower wholeFollower(CopyNetwork network) {
        return Objects.requireNonNull(network.followers.get(record(network).whole().getFirst()));
    }

    @Test
    void follower_enters_the_record_when_its_copy_is_whole() {
        CopyNetwork network = network(2, 2);
        network.write(SET);
        network.pass(1_100);
        CopyRecord filling = record(network);
        assertThat(filling.whole()).isEmpty();
        assertThat(filling.filling()).hasSize(1);
        network.pass(10_000);
        CopyRecord whole = record(network);
        assertThat(whole.whole()).isEqualTo(filling.filling());
        assertThat(whole.filling()).isEmpty();
        assertThat(whole.isAbove(filling)).isTrue();
        for (Follower each : network.followers.values()) {
            assertThat(each.file.records()).as("node %s", each.server).contains(whole);
        }
        assertThat(network.leaderFile.records()).contains(whole);
    }

    @Test
    void acknowledgements_wait_until_live_members_have_the_record_without_a_lost_follower() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        CopyRecord before = record(network);
        network.cut(wholeFollower(network));
        network.pass(4_500);
        network.isAlarm = true;
        long position = network.write(SET);
        Follower third = bystander(network);
        third.isDiskStopped = true;
        network.pass(1_500);
        CopyRecord after = record(network);
        assertThat(after.whole()).isEmpty();
        assertThat(after.filling()).hasSize(1).doesNotContain(third.server);
        assertThat(network.having(SET, network.lastEntry()))
                .as("owed to the next one")
                .containsExactlyElementsOf(after.filling());
        assertThat(third.file.records()).contains(before);
        assertThat(network.leader.has(SET, position)).isFalse();
        third.isDiskStopped = false;
        network.settle();
        assertThat(third.file.records()).contains(after);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void leader_that_slept_shows_the_loss_of_its_follower_before_it_acknowledges() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        network.isLeaderStopped = true;
        wholeFollower(network).crash();
        network.pass(30_000);
        network.isLeaderStopped = false;
        long position = network.write(SET);
        network.pass(4_000);
        third.isDiskStopped = true;
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        third.isDiskStopped = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void acknowledgements_wait_until_the_leader_itself_has_the_record_on_its_disk() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        network.cut(wholeFollower(network));
        network.pass(4_500);
        network.isAlarm = true;
        network.leaderFile.slowestMs = Integer.MAX_VALUE;
        long position = network.write(SET);
        network.pass(1_500);
        assertThat(record(network).whole()).isEmpty();
        assertThat(network.leader.has(SET, position)).isFalse();
        network.leaderFile.slowestMs = 1;
        network.leaderFile.finish();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void acknowledgements_of_other_sets_wait_for_no_record() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower lost = wholeFollower(network);
        network.cut(lost);
        network.pass(4_500);
        bystander(network).isDiskStopped = true;
        network.pass(600);
        CopyRecord other =
                network.leader.records().stream()
                        .filter(each -> each.whole().size() == 1)
                        .filter(each -> !each.whole().contains(bystander(network).server))
                        .findFirst()
                        .orElseThrow();
        long position = network.write(other.copySet());
        network.settle();
        assertThat(network.leader.has(other.copySet(), position)).isTrue();
    }

    @Test
    void new_whole_copy_holds_no_acknowledgement() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        network.cut(wholeFollower(network));
        network.isAlarm = true;
        network.pass(5_500);
        assertThat(record(network).filling()).hasSize(1);
        bystander(network).isDiskStopped = true;
        network.isAlarm = false;
        network.pass(3_000);
        assertThat(record(network).whole()).hasSize(1);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void status_calls_copies_whole_when_every_live_member_knows_so() {
        CopyNetwork network = network(2, 3);
        network.isAlarm = true;
        network.pass(3_000);
        bystander(network).isDiskStopped = true;
        network.isAlarm = false;
        network.pass(3_000);
        assertThat(record(network).whole()).hasSize(1);
        assertThat(network.leader.status().wholeSets()).isZero();
        bystander(network).isDiskStopped = false;
        network.pass(1_000);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void status_calls_copies_whole_no_more_when_a_follower_is_out_of_reach() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        network.cut(wholeFollower(network));
        network.pass(200);
        assertThat(record(network).whole()).as("it is not given up yet").hasSize(1);
        assertThat(network.leader.status().isWhole()).isFalse();
    }

    @Test
    void acknowledgements_wait_for_a_live_member_that_refuses_the_record() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        third.forget(true);
        network.cut(wholeFollower(network));
        network.pass(4_500);
        long position = network.write(SET);
        network.pass(10_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        third.forget(false);
        network.cut(third);
        network.link(third);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(third.file.records()).contains(record(network));
    }

    @Test
    void member_that_is_silent_is_not_waited_for_and_hears_it_when_it_wakes() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        third.isStopped = true;
        network.pass(6_000);
        network.cut(wholeFollower(network));
        network.pass(4_500);
        long position = network.write(SET);
        network.pass(1_500);
        assertThat(network.leader.has(SET, position)).isTrue();
        third.isStopped = false;
        network.settle();
        assertThat(third.file.records()).contains(record(network));
    }

    @Test
    void node_that_comes_is_told_all_records() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower back = wholeFollower(network);
        network.cut(back);
        network.pass(8_000);
        assertThat(back.file.records()).doesNotContain(record(network));
        network.link(back);
        network.settle();
        assertThat(back.file.records()).containsExactlyElementsOf(network.leader.records());
    }

    @Test
    void node_that_gave_no_answer_is_told_all_records_with_the_next_one() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        network.cut(third);
        network.leader.demote(BitSet.valueOf(new long[] {1L << SET}), () -> {});
        network.settle();
        third.lacksTakeovers = true;
        network.link(third);
        network.settle();
        assertThat(third.file.records()).doesNotContain(record(network));
        third.lacksTakeovers = false;
        network.leader.demote(BitSet.valueOf(new long[] {1L << SET + 1}), () -> {});
        network.settle();
        assertThat(third.file.records()).containsExactlyElementsOf(network.leader.records());
    }

    /** It was silent when the next one was made, and takes what had come before in one go. */
    @Test
    void silent_node_that_gave_no_answer_is_told_all_records_with_the_next_one() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        network.leader.demote(BitSet.valueOf(new long[] {1L << SET}), () -> {});
        third.lacksTakeovers = true;
        network.settle();
        Objects.requireNonNull(third.there).isSilent = true;
        third.lacksTakeovers = false;
        network.leader.demote(BitSet.valueOf(new long[] {1L << SET + 1}), () -> {});
        network.settle();
        assertThat(third.file.records()).containsExactlyElementsOf(network.leader.records());
    }

    @Test
    void node_that_gave_no_answer_is_told_all_records_again() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        Follower third = bystander(network);
        network.cut(third);
        network.leader.demote(BitSet.valueOf(new long[] {1L << SET}), () -> {});
        network.settle();
        third.lacksTakeovers = true;
        network.link(third);
        network.settle();
        third.lacksTakeovers = false;
        network.pass(3_000);
        assertThat(third.file.records()).containsExactlyElementsOf(network.leader.records());
    }

    @Test
    void leader_that_starts_acknowledges_when_live_members_know_that_nobody_is_whole() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        CopyRecord before = record(network);
        Follower third = bystander(network);
        network.crashLeader();
        network.restartLeader();
        third.isDiskStopped = true;
        long position = network.write(SET);
        network.pass(4_000);
        assertThat(record(network).isAbove(before)).isTrue();
        assertThat(third.file.records()).contains(before);
        assertThat(network.leader.has(SET, position)).isFalse();
        third.isDiskStopped = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void leader_that_dies_before_it_shows_a_record_makes_a_higher_one() {
        CopyNetwork network = network(2, 3);
        network.pass(10_000);
        CopyRecord shown = record(network);
        Follower third = bystander(network);
        network.cut(wholeFollower(network));
        network.isAlarm = true;
        network.pass(4_500);
        network.leaderFile.slowestMs = Integer.MAX_VALUE;
        network.pass(1_500);
        network.leaderFile.slowestMs = 1;
        network.leaderFile.finish();
        CopyRecord kept = network.leaderFile.records().get(SET - 1);
        network.crashLeader();
        assertThat(kept.isAbove(shown)).isTrue();
        assertThat(third.file.records()).contains(shown);
        network.restartLeader();
        network.settle();
        assertThat(record(network).isAbove(kept)).isTrue();
        assertThat(third.file.records()).contains(record(network));
    }

    @Test
    void leader_that_has_copies_no_more_shows_it_before_it_acknowledges() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower third = bystander(network);
        network.restartLeader(1);
        third.isDiskStopped = true;
        long position = network.write(SET);
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        third.isDiskStopped = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(third.file.records())
                .hasSize(CopySets.LAST)
                .allMatch(each -> each.whole().isEmpty() && each.filling().isEmpty());
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    private CopyNetwork members(int others) {
        CopyNetwork network = network(2, others);
        network.members = IntStream.rangeClosed(1, others + 1).boxed().collect(Collectors.toSet());
        network.quorum.members(network.members);
        network.pass(10_000);
        return network;
    }

    @Test
    void leader_of_three_that_hears_nobody_waits_until_it_hears_one() {
        CopyNetwork network = members(2);
        Follower whole = wholeFollower(network);
        Follower third = bystander(network);
        network.cut(whole);
        network.cut(third);
        long position = network.write(SET);
        network.pass(60_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        assertThat(network.leader.status().isOutvoted()).isTrue();
        network.link(third);
        network.pass(3_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.leader.status().isOutvoted()).isFalse();
    }

    @Test
    void leader_of_three_goes_on_alone_when_the_others_have_ended() {
        CopyNetwork network = members(2);
        network.followers.values().forEach(network::cut);
        network.ended.addAll(network.followers.keySet());
        long position = network.write(SET);
        network.pass(10_000);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void node_that_ended_long_after_it_was_heard_counts_on() {
        CopyNetwork network = members(2);
        network.followers.values().forEach(network::cut);
        network.pass(5_000);
        network.ended.addAll(network.followers.keySet());
        long position = network.write(SET);
        network.pass(10_000);
        assertThat(network.leader.has(SET, position)).isFalse();
    }

    @Test
    void node_that_ended_before_it_could_tell_what_it_did_unheard_counts_on() {
        CopyNetwork network = members(2);
        Follower whole = wholeFollower(network);
        Follower third = bystander(network);
        network.cut(whole);
        network.cut(third);
        network.pass(6_000);
        third.isStopped = true;
        network.link(third);
        network.pass(300);
        network.cut(third);
        network.ended.add(third.server);
        long position = network.write(SET);
        network.pass(10_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        network.link(whole);
        network.pass(3_000);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void leader_of_two_goes_on_alone_while_it_runs_and_waits_after_a_start() {
        CopyNetwork network = members(1);
        Follower other = wholeFollower(network);
        network.cut(other);
        other.isAway = true;
        network.restartLeader(2);
        long position = network.write(SET);
        network.pass(30_000);
        assertThat(network.leader.has(SET, position)).as("it was whole").isFalse();
        other.isAway = false;
        network.link(other);
        network.pass(3_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        network.cut(other);
        long later = network.write(SET);
        network.pass(10_000);
        assertThat(network.leader.has(SET, later)).isTrue();
    }
}
