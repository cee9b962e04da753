package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One run of a leader and its followers, with its faults and what is checked. */
final class CopiesRun {
    private static final int ROUNDS = 300;

    /** Followers are whole before the first fault. */
    private static final int CALM_ROUNDS = 40;

    /** After so long what a fault has left is over: who was given up is chosen again. */
    private static final long HEALS_MS = 20_000;

    private static final int HEALS_ROUNDS = 200;

    private final RandomGenerator random;
    private final int copies;
    private final int others;
    private final CopyNetwork network;
    private final List<Written> open = new ArrayList<>();

    /** Holds the entries that were acknowledged by copy set. */
    private final BitSet[] acknowledged = new BitSet[CopySets.LAST + 1];

    private @Nullable Follower faulty;
    private int faultyUntil;
    private @Nullable Follower sleeper;
    private int sleepsUntil;
    private int sleepsFrom = CALM_ROUNDS;
    private int leaderBack;
    private int leaderFrom = CALM_ROUNDS;

    /** Whether copies are compared again and again while the leader writes. */
    private final boolean comparesUnderWay;

    private int comparedUnderWay;

    /** Queues that fills have left out. */
    long leftOut;

    private record Written(int set, int entry, long position) {}

    CopiesRun(RandomGenerator random, CopyRules rules) {
        this.random = random;
        copies = 2 + random.nextInt(2);
        others = copies + random.nextInt(2);
        network = new CopyNetwork(random, copies, others, rules);
        network.slowFiles(random.nextBoolean() ? 1 : 1_000);
        comparesUnderWay = random.nextInt(3) > 0;
        for (int set = 1; set <= CopySets.LAST; set++) {
            acknowledged[set] = new BitSet();
        }
    }

    /** Runs, and returns how many copies were compared while the leader wrote. */
    int run() {
        network.begin();
        network.descriptionsFail = true;
        for (int round = 0; round < ROUNDS; round++) {
            if (network.isLeaderRunning()) {
                work();
                compare(round);
            }
            network.passSome();
            noneDiffers(network.verdict);
            check();
            fault(round);
            sleep(round);
            leader(round);
        }
        heal();
        assertThat(open).isEmpty();
        for (int set = 1; set <= CopySets.LAST; set++) {
            checkRecords(set);
            checkCopies(set);
        }
        compareAtTheEnd();
        leftOut += network.leader.leftOut();
        return comparedUnderWay;
    }

    private void work() {
        for (int i = random.nextInt(4); i > 0; i--) {
            int set = 1 + random.nextInt(CopySets.LAST);
            long position = network.write(set);
            open.add(new Written(set, network.lastEntry(), position));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            network.remove(1 + random.nextInt(CopySets.LAST));
        }
    }

    /** Has copies compared by the production code, while everything goes on. */
    private void compare(int round) {
        if (comparesUnderWay && round % 6 == 0 && !network.isVerifying()) {
            LeaderVerdict last = network.verdict;
            if (last != null) {
                comparedUnderWay +=
                        (int) last.followers().stream().filter(each -> each.isCompared()).count();
            }
            network.beginVerify();
        }
    }

    private static void noneDiffers(@Nullable LeaderVerdict verdict) {
        if (verdict != null) {
            assertThat(verdict.differs()).as("%s", verdict).isFalse();
            assertThat(verdict.followers())
                    .noneSatisfy(each -> assertThat(each.reason()).contains("differed"));
        }
    }

    private void compareAtTheEnd() {
        network.pass(HEALS_MS);
        noneDiffers(network.verdict);
        network.descriptionsFail = false;
        LeaderVerdict verdict = network.verify();
        noneDiffers(verdict);
        assertThat(verdict.failure()).isEmpty();
        assertThat(verdict.setsMissing()).isZero();
        assertThat(verdict.followers())
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.reason()).isEmpty());
        assertThat(verdict.followers().stream().mapToInt(each -> each.sets()).sum())
                .isGreaterThanOrEqualTo(CopySets.LAST * (copies - 1));
    }

    // ---------------------------------------------------------------- faults

    /** One fault at a time: what the node had is elsewhere before the next one. */
    private void fault(int round) {
        Follower now = faulty;
        if (now != null && round >= faultyUntil) {
            heal();
        } else if (now == null && random.nextInt(20) == 0 && round > CALM_ROUNDS) {
            faultyUntil = round + random.nextInt(120);
            Follower chosen = any();
            if (chosen == sleeper) {
                return;
            }
            switch (random.nextInt(4)) {
                case 0 -> network.cut(chosen);
                case 1 -> chosen.isStopped = true;
                case 2 -> end(chosen::crash, chosen);
                default -> {
                    heal();
                    end(chosen::wipe, chosen);
                }
            }
            faulty = chosen;
        }
    }

    private void end(Runnable how, Follower of) {
        how.run();
        network.ended.add(of.server);
    }

    /** A node sleeps: for so long that it is given up where enough others are left. */
    private void sleep(int round) {
        Follower now = sleeper;
        if (now != null && round >= sleepsUntil) {
            now.isStopped = false;
            sleeper = null;
            sleepsFrom = round + HEALS_ROUNDS;
        } else if (now == null && random.nextInt(20) == 0 && round > sleepsFrom) {
            Follower chosen = any();
            if (chosen != faulty) {
                chosen.isStopped = true;
                sleeper = chosen;
                sleepsUntil = round + random.nextInt(others > copies ? 120 : 30);
            }
        }
    }

    private Follower any() {
        List<Follower> all = List.copyOf(network.followers.values());
        return all.get(random.nextInt(all.size()));
    }

    /** The leader sleeps, or its process dies. */
    private void leader(int round) {
        if (!network.isLeaderRunning() && round >= leaderBack) {
            wakeLeader();
            leaderFrom = round + 20;
        } else if (network.isLeaderRunning() && random.nextInt(40) == 0 && round > leaderFrom) {
            leaderBack = round + random.nextInt(80);
            if (random.nextBoolean()) {
                network.isLeaderStopped = true;
            } else {
                leftOut += network.leader.leftOut();
                network.crashLeader();
                open.clear(); // Who waited for it has gone, too.
            }
        }
    }

    private void wakeLeader() {
        network.isLeaderStopped = false;
        if (!network.isLeaderUp) {
            network.restartLeader();
        }
    }

    private void heal() {
        wakeLeader();
        if (sleeper != null) {
            sleeper.isStopped = false;
            sleeper = null;
        }
        Follower now = faulty;
        if (now != null) {
            now.isStopped = false;
            network.link(now);
            faulty = null;
        }
        network.pass(HEALS_MS);
        check();
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    // ---------------------------------------------------------------- checks

    private void check() {
        if (!network.isLeaderRunning()) {
            return;
        }
        BitSet news = new BitSet();
        open.removeIf(each -> {
            boolean counts = network.leader.has(each.set, each.position);
            if (counts && network.entries(each.set).get(each.entry)) {
                assertThat(network.having(each.set, each.entry))
                        .as("%s", each)
                        .hasSizeGreaterThanOrEqualTo(copies - 1);
            }
            if (counts) {
                acknowledged[each.set].set(each.entry);
                news.set(each.set);
            }
            return counts;
        });
        news.stream().forEach(this::checkRecords);
    }

    private void checkRecords(int set) {
        assertThat(network.wrongRecords(set, acknowledged[set])).isEmpty();
    }

    /** Whoever the leader's record calls whole has what the leader has, and nothing else. */
    private void checkCopies(int set) {
        CopyRecord record = network.leader.records().get(set - 1);
        assertThat(record.whole()).as("%s", record).hasSizeGreaterThanOrEqualTo(copies - 1);
        for (int server : record.whole()) {
            BitSet has =
                    Objects.requireNonNull(network.followers.get(server))
                            .durable
                            .getOrDefault(set, new BitSet());
            assertThat(has).as("node %s, by %s", server, record).isEqualTo(network.entries(set));
        }
    }
}
