package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks which copy sets a node gives, and when. */
class TransfersTest {
    private static final int SETS = CopySets.LAST - 1;
    private static final long AFTER_MS = 60_000;

    private final Map<Integer, NodeStart> heard = new TreeMap<>();
    private final Map<Integer, BitSet> led = new TreeMap<>();
    private final Set<Integer> draining = new TreeSet<>();
    private final List<String> given = new ArrayList<>();

    /** Records each call of {@code copyFirst}; null: no set was to be copied. */
    private final List<Transfers.@Nullable Move> copied = new ArrayList<>();

    private boolean areWhole = true;
    private long nowMs;

    /** By copy set: the server id of the follower that has a whole copy. */
    private final int[] followers = new int[CopySets.LAST + 1];

    private final Transfers transfers =
            new Transfers(
                    1,
                    AFTER_MS,
                    new Transfers.Members() {
                        @Override
                        public boolean isDraining(int server) {
                            return draining.contains(server);
                        }

                        @Override
                        public Map<Integer, NodeStart> heard() {
                            return heard;
                        }

                        @Override
                        public boolean knowsTables() {
                            return true;
                        }

                        @Override
                        public BitSet ledBy(int server) {
                            return (BitSet) led.getOrDefault(server, new BitSet()).clone();
                        }

                        @Override
                        public BitSet served(int server) {
                            return ledBy(server);
                        }
                    },
                    new Transfers.Copies() {
                        @Override
                        public boolean areWhole() {
                            return areWhole;
                        }

                        @Override
                        public boolean isGiving() {
                            return false;
                        }

                        @Override
                        public BitSet give(BitSet copySets, IntPredicate mayLead) {
                            BitSet some = new BitSet();
                            copySets.stream()
                                    .filter(set -> mayLead.test(followers[set]))
                                    .forEach(set -> {
                                        some.set(set);
                                        move(set, followers[set]);
                                        given.add(set + " to " + followers[set]);
                                    });
                            return some;
                        }

                        @Override
                        public void copyFirst(Transfers.@Nullable Move next) {
                            copied.add(next);
                        }
                    });

    private void move(int set, int to) {
        BitSet only = new BitSet();
        only.set(set);
        BitSet slots = CopySets.slots(only);
        slots.and(led(1));
        led(to).or(slots);
        led(1).andNot(slots);
    }

    private BitSet led(int server) {
        return led.computeIfAbsent(server, any -> new BitSet());
    }

    /** Node 1 serves so many slots of each set. */
    private void serve(int each) {
        for (int slot = 0; slot < each * SETS; slot++) {
            led(1).set(slot);
        }
        assertThat(ClientId.SLOTS).isGreaterThan(each * SETS);
    }

    private void come(int server, long start) {
        heard.put(server, new NodeStart(server, start));
    }

    private void follow(int... servers) {
        for (int set = 1; set <= SETS; set++) {
            followers[set] = servers[set % servers.length];
        }
    }

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += Transfers.LOOK_MS) {
            transfers.tick(nowMs);
        }
    }

    @Test
    void steady_node_gets_sets_one_after_the_other_until_both_serve_as_much() {
        serve(10);
        come(1, 1);
        pass(AFTER_MS);
        come(2, 1);
        follow(2);
        pass(AFTER_MS - 1_000);
        assertThat(given).isEmpty();
        pass(2_000);
        assertThat(given).as("one at a time").hasSize(1);
        pass(3_600_000);
        assertThat(given).hasSize(SETS / 2);
        assertThat(led(2).cardinality()).isEqualTo(led(1).cardinality());
    }

    @Test
    void node_that_comes_and_goes_never_gets_a_set() {
        serve(10);
        come(1, 1);
        follow(2);
        for (int start = 1; start < 200; start++) {
            come(2, start);
            pass(20_000);
            heard.remove(2);
            pass(20_000);
            come(2, start);
            pass(AFTER_MS - 20_000);
        }
        assertThat(given).isEmpty();
    }

    @Test
    void set_goes_only_where_its_copy_is_whole_and_while_all_copies_are() {
        serve(10);
        come(1, 1);
        come(2, 1);
        come(3, 1);
        follow(3);
        led(3).set(4_000, 4_010);
        areWhole = false;
        pass(2 * AFTER_MS);
        assertThat(given).isEmpty();
        areWhole = true;
        pass(3_600_000);
        assertThat(given).isNotEmpty().allMatch(each -> each.endsWith("to 3"));
    }

    @Test
    void set_without_copies_is_copied_first() {
        serve(10);
        come(1, 1);
        come(2, 1);
        come(3, 1);
        led(2).set(4_000, 4_010);
        pass(AFTER_MS + 1_000);
        Transfers.Move first = new Transfers.Move(1, 3);
        assertThat(copied).containsExactly(first);
        pass(AFTER_MS);
        assertThat(given).isEmpty();
        assertThat(copied).as("the same").containsExactly(first);
        followers[1] = 3;
        pass(1_000);
        assertThat(given).containsExactly("1 to 3");
        pass(Transfers.QUIET_MS);
        assertThat(copied).as("to one of those that serve the fewest now").hasSize(2);
        heard.remove(2);
        heard.remove(3);
        pass(1_000);
        assertThat(copied).last().isNull();
    }

    @Test
    void nothing_is_copied_for_another_node_while_this_one_drains() {
        serve(10);
        come(1, 1);
        come(2, 1);
        pass(AFTER_MS + 1_000);
        assertThat(copied).containsExactly(new Transfers.Move(1, 2));
        draining.add(1);
        pass(1_000);
        assertThat(copied).last().isNull();
    }

    @Test
    void node_that_does_not_serve_most_gives_nothing() {
        serve(10);
        led(3).set(2_000, 2_100);
        come(1, 1);
        come(2, 1);
        come(3, 1);
        follow(2, 3);
        pass(3_600_000);
        assertThat(given).isEmpty();
    }

    @Test
    void set_that_came_from_a_live_node_stays_for_a_while() {
        serve(10);
        come(1, 1);
        come(2, 1);
        follow(2);
        BitSet all = new BitSet();
        all.set(1, SETS + 1);
        transfers.tick(nowMs);
        transfers.took(2, all);
        pass(Transfers.STAYS_MS - 1_000);
        assertThat(given).isEmpty();
        pass(3_000);
        assertThat(given).hasSize(1);
    }

    @Test
    void node_that_drains_gives_all_to_nodes_that_do_not() {
        serve(10);
        come(1, 1);
        come(2, 1);
        come(3, 1);
        follow(2, 3);
        draining.add(3);
        assertThat(transfers.left()).isNull();
        draining.add(1);
        pass(1_000);
        assertThat(given).hasSize(SETS / 2).allMatch(each -> each.endsWith("to 2"));
        assertThat(transfers.left())
                .isNotNull()
                .satisfies(left -> assertThat(left.cardinality()).isEqualTo(SETS / 2));
        follow(2);
        pass(1_000);
        assertThat(given).hasSize(SETS);
        assertThat(transfers.left()).satisfies(left -> assertThat(left.isEmpty()).isTrue());
        draining.remove(1);
        pass(1_000);
        assertThat(transfers.left()).isNull();
    }
}
