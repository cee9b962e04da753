package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One follower at a time stops, crashes, loses its disk or its link, while the leader writes: what
 * counts is on the disks of as many followers as are wanted, and at the end all copies are whole.
 */
class CopiesSimulationTest {
    private static final int SEEDS = 300;

    private record Written(int set, int entry, long position) {}

    /** Copies that were compared while the leader wrote. */
    private int comparedUnderWay;

    @Test
    void what_counts_is_at_the_wanted_number_of_nodes_through_faults() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                run(new SplittableRandom(seed), CopyRules.ALL);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(comparedUnderWay).isGreaterThan(10 * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(CopyRule.class)
    void each_rule_is_needed(CopyRule rule) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                run(new SplittableRandom(seed), CopyRules.without(rule));
            } catch (AssertionError | RuntimeException e) {
                return;
            }
        }
        throw new AssertionError("no seed fails without " + rule);
    }

    private void run(SplittableRandom random, CopyRules rules) {
        int copies = 2 + random.nextInt(2);
        CopyNetwork network = new CopyNetwork(random, copies, copies + random.nextInt(2), rules);
        network.begin();
        network.descriptionsFail = true;
        boolean comparesUnderWay = random.nextInt(3) > 0;
        List<Written> open = new ArrayList<>();
        Follower faulty = null;
        int until = 0;
        for (int round = 0; round < 300; round++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                int set = 1 + random.nextInt(CopySets.LAST);
                long position = network.write(set);
                open.add(new Written(set, network.lastEntry(), position));
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                network.remove(1 + random.nextInt(CopySets.LAST));
            }
            if (comparesUnderWay && round % 10 == 0 && !network.isVerifying()) {
                count(network.verdict);
                network.beginVerify();
            }
            network.passSome();
            noneDiffers(network.verdict);
            check(network, open, copies);
            if (faulty != null && round >= until) {
                faulty.isStopped = false;
                network.link(faulty);
                // One fault at a time: what it had is elsewhere before the next one.
                network.pass(20_000);
                check(network, open, copies);
                assertThat(network.leader.status().isWhole()).isTrue();
                faulty = null;
            } else if (faulty == null && random.nextInt(20) == 0 && round > 40) {
                List<Follower> all = List.copyOf(network.followers.values());
                faulty = all.get(random.nextInt(all.size()));
                until = round + random.nextInt(120);
                switch (random.nextInt(4)) {
                    case 0 -> network.cut(faulty);
                    case 1 -> faulty.isStopped = true;
                    case 2 -> faulty.crash();
                    default -> {
                        network.pass(20_000);
                        check(network, open, copies);
                        faulty.wipe();
                    }
                }
            }
        }
        if (faulty != null) {
            faulty.isStopped = false;
            network.link(faulty);
        }
        network.pass(20_000);
        check(network, open, copies);
        assertThat(open).isEmpty();
        assertThat(network.leader.status().isWhole()).isTrue();
        network.pass(20_000);
        noneDiffers(network.verdict);
        network.descriptionsFail = false;
        LeaderVerdict verdict = network.verify();
        for (int set = 1; set <= CopySets.LAST; set++) {
            int of = set;
            long equal =
                    network.followers.values().stream()
                            .filter(each ->
                                    network.entries(of)
                                            .equals(each.durable.getOrDefault(of, new BitSet())))
                            .count();
            List<String> differing = new ArrayList<>();
            network.followers.forEach((server, each) -> {
                BitSet has = new BitSet();
                has.or(each.durable.getOrDefault(of, has));
                BitSet tooMuch = (BitSet) has.clone();
                tooMuch.andNot(network.entries(of));
                BitSet missing = (BitSet) network.entries(of).clone();
                missing.andNot(has);
                differing.add(server + ": missing " + missing + ", too much " + tooMuch);
            });
            assertThat(equal)
                    .as("copies of set %s: %s", of, differing)
                    .isGreaterThanOrEqualTo(copies - 1);
        }
        noneDiffers(verdict);
        assertThat(verdict.failure()).isEmpty();
        assertThat(verdict.setsMissing()).isZero();
        assertThat(verdict.followers())
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.reason()).isEmpty());
        assertThat(verdict.followers().stream().mapToInt(each -> each.sets()).sum())
                .isGreaterThanOrEqualTo(CopySets.LAST * (copies - 1));
    }

    private void count(@Nullable LeaderVerdict verdict) {
        if (verdict != null) {
            comparedUnderWay +=
                    (int) verdict.followers().stream().filter(each -> each.isCompared()).count();
        }
    }

    private static void noneDiffers(@Nullable LeaderVerdict verdict) {
        if (verdict != null) {
            assertThat(verdict.differs()).as("%s", verdict).isFalse();
            assertThat(verdict.followers())
                    .noneSatisfy(each -> assertThat(each.reason()).contains("differed"));
        }
    }

    private static void check(CopyNetwork network, List<Written> open, int copies) {
        open.removeIf(each -> {
            boolean counts = network.leader.has(each.set, each.position);
            if (counts && network.entries(each.set).get(each.entry)) {
                assertThat(network.having(each.set, each.entry))
                        .as("%s", each)
                        .hasSizeGreaterThanOrEqualTo(copies - 1);
            }
            return counts;
        });
    }
}
