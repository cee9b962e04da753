package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Digests of a leader and of its copy at one place of the stream, while both work on. */
class DigestsAtMomentTest {
    private static final int LEADER = 9;
    private static final int SEEDS = Integer.getInteger("digest.seeds", 200);
    private static final StoreSettings SETTINGS =
            new StoreSettings(Durability.COMMIT, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);

    /** Takes the digests of the queues that one node leads. */
    private static class Digests implements DigestReader {
        final Map<Long, String> byQueue = new TreeMap<>();
        private final int leader;
        boolean isEnded;

        Digests(int leader) {
            this.leader = leader;
        }

        @Override
        public boolean wants(long queueId, int of) {
            return of == leader;
        }

        @Override
        public void onQueue(QueueDigest queue) {
            byQueue.put(queue.queueId(), StoreContents.text(queue));
        }

        @Override
        public void onEnd() {
            isEnded = true;
        }

        @Override
        public void onFailed(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    /** One run of a leader and its follower. */
    private static final class Run {
        private final Random random;
        private final StoreFixture leader = new StoreFixture(LEADER);
        private final CopyWire wire = new CopyWire(leader, LEADER);
        private final LeaderWork work;
        private final StoreFixture copy =
                new StoreFixture(
                        new StepWorkers(),
                        new MemoryDisk(),
                        new MemoryJournal(),
                        SETTINGS,
                        StoreRules.ALL);
        int queues;
        int ahead;

        Run(long seed) {
            random = new Random(seed);
            wire.open();
            work = new LeaderWork(leader, LEADER, random);
        }

        void run() {
            Set<Long> differing = Set.of();
            for (int i = 0; i < 6 || !differing.isEmpty(); i++) {
                for (int j = random.nextInt(60); j > 0; j--) {
                    go();
                }
                Set<Long> now = compare();
                ahead += now.size();
                // Rows say that PUBREC came before the journal does, for a moment.
                Set<Long> twice = new TreeSet<>(now);
                twice.retainAll(differing);
                assertThat(twice).isEmpty();
                differing = now;
            }
        }

        private void go() {
            work.step();
            if (random.nextInt(4) == 0) {
                leader.commit();
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                leader.time.step();
                copy.time.step();
            }
            if (random.nextInt(3) == 0) {
                wire.apply(copy, random.nextInt(wire.waiting() + 1));
            }
            if (random.nextInt(4) == 0 && copy.shard(1).isDirty()) {
                copy.shard(1).commit();
            }
            if (random.nextInt(20) == 0) {
                (random.nextBoolean() ? leader : copy).time.pass(random.nextInt(3_000));
            }
            if (random.nextInt(40) == 0) {
                copy.materialise();
            }
        }

        private Set<Long> compare() {
            Digests led =
                    new Digests(QueueDigest.THIS_NODE) {
                        @Override
                        public void onMoment() {
                            wire.mark();
                        }
                    };
            Digests copied =
                    new Digests(LEADER) {
                        @Override
                        public void onMoment() {
                            wire.passMark();
                        }
                    };
            boolean isAsked = false;
            leader.store.describeAll(led);
            while (!led.isEnded || !copied.isEnded) {
                go();
                if (wire.isAtMark() && !isAsked) {
                    copy.commit();
                    copy.store.describeAll(copied);
                    isAsked = true;
                }
            }
            queues += led.byQueue.size();
            Set<Long> differing = new TreeSet<>(led.byQueue.keySet());
            differing.addAll(copied.byQueue.keySet());
            differing.removeIf(
                    each -> Objects.equals(led.byQueue.get(each), copied.byQueue.get(each)));
            return differing;
        }
    }

    @Test
    void copy_has_at_a_place_of_the_stream_what_its_leader_had_there() {
        int queues = 0;
        int ahead = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                Run run = new Run(seed);
                run.run();
                queues += run.queues;
                ahead += run.ahead;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(queues).isGreaterThan(50 * SEEDS);
        assertThat(ahead).isLessThan(SEEDS / 10);
    }
}
