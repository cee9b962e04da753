package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/**
 * One run of a leader whose disk is set back to an earlier moment, and a follower that has a copy
 * from before: the copy is filled again while the leader works on, and the follower crashes in the
 * middle. What the copy had and the leader has lost is set aside in the end, and nothing else is.
 */
final class SetBackSimulation {
    private static final int LEADER = 9;

    /** A crash loses some commits. */
    private static final StoreSettings LOSING =
            new StoreSettings(Durability.INTERVAL, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);

    private final Random random;
    private final StoreRules rules;
    private StoreFixture leader = new StoreFixture(LEADER);
    private LeaderWork work;
    private CopyWire wire = new CopyWire(leader, LEADER);
    private StoreFixture copy;
    private final List<FillAsk> asks = new ArrayList<>();
    private int streams;
    private final TreeSet<HybridId> known = new TreeSet<>();
    int lost;
    int crashes;

    SetBackSimulation(long seed, StoreRules rules) {
        random = new Random(seed);
        this.rules = rules;
        work = new LeaderWork(leader, LEADER, random);
        copy =
                new StoreFixture(
                        new StepWorkers(), new MemoryDisk(), new MemoryJournal(), LOSING, rules);
    }

    void run() throws DiskFailure {
        steps(200 + random.nextInt(400));
        if (random.nextBoolean()) {
            fill(false);
        }
        StoreFixture.Left before = here();
        known.addAll(work.appended);
        // What ended would live again, over what a purge has left.
        work.isEndless = true;
        steps(random.nextInt(300));
        fill(false);
        steps(random.nextInt(100));
        leader.commit();
        wire.deliver(copy);
        copy.time.pass(500); // All of it is synced, and was confirmed.
        TreeSet<String> expected = new TreeSet<>();
        copy.materialise();
        copy.disk
                .rows(Family.QUEUES)
                .forEach((key, value) -> {
                    if (isMessage(value) && !known.contains(Keys.rowId(key))) {
                        expected.add(name(key));
                    }
                });
        lost = expected.size();
        int lastQueue = work.lastQueue();
        leader = leader.setBack(before, LEADER);
        wire = new CopyWire(leader, LEADER);
        work = new LeaderWork(leader, LEADER, random, lastQueue);
        steps(random.nextInt(200));
        fill(true);
        if (random.nextInt(3) == 0) {
            fill(true);
        }
        leader.commit();
        wire.deliver(copy);
        compare(expected);
        copy = copy.afterCrash(LOSING, rules);
        wire.resume(copy);
        wire.deliver(copy);
        compare(expected);
    }

    private static boolean isMessage(byte[] value) {
        StoredRow row = new StoredRow();
        row.read(value);
        return !row.isMarker;
    }

    private static String name(byte[] key) {
        HybridId id = Keys.rowId(key);
        return "%016x %016x %06x".formatted(Keys.rowQueue(key), id.clock(), id.server());
    }

    private StoreFixture.Left here() {
        if (random.nextBoolean()) {
            leader.materialise();
        }
        if (random.nextBoolean()) {
            leader.time.pass(5_000);
        }
        leader.commit();
        return leader.left();
    }

    private void steps(int count) {
        for (int i = 0; i < count; i++) {
            work.step();
            if (random.nextInt(4) == 0) {
                leader.commit();
            }
            if (random.nextInt(30) == 0) {
                leader.time.pass(random.nextInt(3_000));
            }
        }
    }

    /** Opens the stream anew and fills everything; the leader works on. */
    private void fill(boolean hasCrashes) throws DiskFailure {
        leader.commit();
        for (streams++; wire.streams() < streams; ) {
            wire.open();
        }
        long[] queueIds = work.queueIds();
        for (int i = 0; i < queueIds.length; ) {
            int count = Math.min(1 + random.nextInt(12), queueIds.length - i);
            asks.add(
                    new FillAsk(
                            Arrays.copyOfRange(queueIds, i, i + count),
                            1 + random.nextInt(40),
                            100 + random.nextInt(20_000)));
            i += count;
        }
        while (!asks.isEmpty()) {
            FillAsk ask = asks.removeFirst();
            while (ask != null) {
                wire.fill(ask);
                steps(random.nextInt(4));
                wire.await();
                ask = wire.next;
                wire.apply(copy, random.nextInt(wire.waiting() + 1));
                if (random.nextBoolean()) {
                    copy.commit();
                }
                if (random.nextInt(10) == 0) {
                    copy.time.pass(random.nextInt(3_000));
                }
                if (hasCrashes && random.nextInt(6) == 0) {
                    copy.disk.flushEvery = random.nextInt(4);
                    copy = copy.afterCrash(LOSING, rules);
                    wire.resume(copy);
                    crashes++;
                }
            }
        }
    }

    private void compare(TreeSet<String> expected) throws DiskFailure {
        copy.materialise();
        copy.time.pass(2_000);
        TreeSet<String> there = new TreeSet<>();
        for (byte[] key : copy.disk.rows(Family.QUEUES).keySet()) {
            if (AsideRows.isAside(key)) {
                there.add(name(key));
            }
        }
        TreeSet<String> lostAgain = new TreeSet<>(expected);
        lostAgain.removeAll(there);
        assertThat(lostAgain).as("lost").isEmpty();
        there.removeAll(expected);
        assertThat(there).as("set aside though %s", known).isEmpty();
        assertThat(copy.store.value(StoreMetric.ASIDE_ENTRIES)).isEqualTo(expected.size());
        leader.materialise();
        leader.time.pass(2_000);
        List<String> tooMuch = StoreContents.rows(copy);
        List<String> missing = StoreContents.rows(leader);
        List<String> both = new ArrayList<>(missing);
        missing.removeAll(tooMuch);
        tooMuch.removeAll(both);
        assertThat(missing).as("missing, beside %s too much", tooMuch).isEmpty();
        assertThat(tooMuch).as("too much").isEmpty();
        Map<Long, String> at = StoreContents.digests(leader);
        Map<Long, String> copied = StoreContents.digests(copy);
        assertThat(copied).isEqualTo(at);
        List<String> problems = new ArrayList<>();
        new StoreVerify(copy.disk, problems::add).run();
        assertThat(problems).isEmpty();
        assertThat(copy.failure).isNull();
        assertThat(leader.failure).isNull();
    }
}
