package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One run of a leader that works on, and a follower whose copy is filled meanwhile: the stream is
 * opened in the middle, the follower loses what it has not synced, and now and then all begins anew
 * over what the copy has. At the end both hold the same.
 */
final class FillSimulation {
    private static final int LEADER = 9;

    /** A crash loses some commits. */
    private static final StoreSettings LOSING =
            new StoreSettings(Durability.INTERVAL, 100, 500_000, 2_000, 64 << 20, 256 << 20, 0, 0);

    private final Random random;
    private final StoreRules rules;
    private final StoreFixture leader;
    private final LeaderWork work;
    private final CopyWire wire;
    private StoreFixture copy;

    /** What is left to be asked for. */
    private final List<FillAsk> asks = new ArrayList<>();

    private @Nullable FillAsk asked;
    private boolean isFilled;
    int crashes;
    int restarts;
    int bodies;
    int leftOut;

    /** Leaves out each queue that there is a copy of, whatever that has. */
    private final boolean comparesNothing;

    FillSimulation(long seed, StoreRules rules) {
        this(seed, rules, false);
    }

    FillSimulation(long seed, StoreRules rules, boolean comparesNothing) {
        this.rules = rules;
        this.comparesNothing = comparesNothing;
        random = new Random(seed);
        leader = new StoreFixture(LEADER, rules);
        work = new LeaderWork(leader, LEADER, random);
        wire = new CopyWire(leader, LEADER);
        copy =
                new StoreFixture(
                        new StepWorkers(), new MemoryDisk(), new MemoryJournal(), LOSING, rules);
    }

    void run() throws DiskFailure {
        steps(random.nextInt(300));
        begin();
        int left = 40 + random.nextInt(400);
        while (left-- > 0 || !isFilled) {
            steps(1 + random.nextInt(3));
            move();
            if (left > 0 && random.nextInt(120) == 0) {
                begin();
                restarts++;
            }
        }
        steps(random.nextInt(60));
        compare();
    }

    private void steps(int count) {
        for (int i = 0; i < count; i++) {
            work.step();
            if (random.nextInt(4) == 0) {
                commit();
            }
            if (random.nextInt(30) == 0) {
                leader.time.pass(random.nextInt(3_000));
            }
        }
    }

    /** Closes the leader's commits; its workers may come to them later. */
    private void commit() {
        if (leader.shard(0).isDirty()) {
            leader.shard(0).commit();
        }
        if (random.nextBoolean()) {
            leader.time.pass(2);
        }
    }

    /** Opens the stream, and asks for everything anew. */
    private void begin() {
        finish();
        leader.commit();
        wire.open();
        askAll();
    }

    /** Asks for everything that the copy does not have as it stands now. */
    private void askAll() {
        finish();
        isFilled = false;
        asks.clear();
        asked = null;
        wire.next = null;
        FillAsk.Copied copied = copied();
        long[] queueIds = work.queueIds();
        for (int i = 0; i < queueIds.length; ) {
            int count = Math.min(1 + random.nextInt(12), queueIds.length - i);
            asks.add(
                    new FillAsk(
                            Arrays.copyOfRange(queueIds, i, i + count),
                            HybridId.NONE,
                            1 + random.nextInt(40),
                            100 + random.nextInt(20_000),
                            copied));
            i += count;
        }
    }

    /** Describes the copy piece by piece, while it applies parts and the leader works on. */
    private FillAsk.Copied copied() {
        copy.commit();
        List<long[]> known = new ArrayList<>();
        copy.store.copiesOf(LEADER, known::add);
        while (known.isEmpty() && copy.time.step()) {}
        Map<Long, Digest> digests = new HashMap<>();
        long[] queueIds = known.getFirst();
        for (int i = 0; i < queueIds.length; ) {
            int count = Math.min(1 + random.nextInt(30), queueIds.length - i);
            long[] piece = Arrays.copyOfRange(queueIds, i, i + count);
            List<List<Digest>> told = new ArrayList<>();
            copy.store.describeCopies(piece, told::add);
            while (told.isEmpty()) {
                steps(random.nextInt(2));
                leader.time.step();
                if (random.nextInt(3) == 0) {
                    wire.apply(copy, random.nextInt(wire.waiting() + 1));
                    copy.commit();
                }
                copy.time.step();
            }
            for (int j = 0; j < count; j++) {
                digests.put(piece[j], told.getFirst().get(j));
            }
            i += count;
        }
        return (queueId, digest) -> {
            Digest there = digests.get(queueId);
            return there != null && (comparesNothing || there.isSame(digest));
        };
    }

    /** The piece that is under way comes to an end. */
    private void finish() {
        wire.await();
    }

    private void move() throws DiskFailure {
        if (wire.failure != null) {
            throw new AssertionError("not filled", wire.failure);
        }
        if (!wire.isFilling) {
            nextPiece();
        }
        for (int i = random.nextInt(6); i > 0; i--) {
            leader.time.step();
        }
        if (random.nextInt(3) == 0) {
            wire.apply(copy, random.nextInt(wire.waiting() + 1));
            if (random.nextBoolean()) {
                copy.commit();
            }
        }
        if (random.nextInt(15) == 0) {
            copy.time.pass(random.nextInt(3_000));
        }
        if (random.nextInt(40) == 0) {
            copy = copy.afterCrash(LOSING, rules);
            wire.resume(copy);
            askAll(); // What it had told of it may have lost.
            crashes++;
        }
    }

    private void nextPiece() {
        FillAsk rest = wire.next;
        if (asked != null && rest != null) {
            asked = rest;
        } else if (asks.isEmpty()) {
            asked = null;
            isFilled = true;
            return;
        } else {
            asked = asks.removeFirst();
        }
        wire.fill(asked);
    }

    private void compare() throws DiskFailure {
        finish();
        leader.commit();
        wire.deliver(copy);
        bodies = wire.bodies;
        leftOut = wire.leftOut;
        same();
        copy.materialise();
        same();
        leader.materialise();
        leader.time.pass(2_000);
        copy.time.pass(2_000);
        same();
        sameRows();
        copy = copy.afterCrash(LOSING, rules);
        wire.resume(copy);
        wire.deliver(copy);
        same();
        assertThat(copy.recovered.sessions).isEmpty();
        assertThat(copy.recovered.groups).isEmpty();
        assertThat(copy.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).as("set aside").isZero();
        assertThat(copy.failure).isNull();
        assertThat(leader.failure).isNull();
        copy.time.pass(2_000);
        List<String> problems = new ArrayList<>();
        new StoreVerify(copy.disk, problems::add).run();
        assertThat(problems).isEmpty();
    }

    private void sameRows() {
        List<String> at = StoreContents.rows(leader);
        List<String> there = StoreContents.rows(copy);
        List<String> missing = new ArrayList<>(at);
        missing.removeAll(there);
        there.removeAll(at);
        assertThat(missing).as("missing, beside %s too much", there).isEmpty();
        assertThat(there).as("too much").isEmpty();
    }

    private void same() {
        Map<Long, String> at = StoreContents.digests(leader);
        Map<Long, String> there = StoreContents.digests(copy);
        for (long queueId : work.queueIds()) {
            assertThat(there.get(queueId)).as("queue %x", queueId).isEqualTo(at.get(queueId));
        }
        assertThat(there).hasSameSizeAs(at);
        for (long queueId : work.queueIds()) {
            QueueState led = StoreContents.state(leader, queueId);
            QueueState copied = StoreContents.state(copy, queueId);
            assertThat(copied.digest().isSame(led.digest())).as("digest of %x", queueId).isTrue();
            assertThat(copied.records().isSame(led.records())).as("records %x", queueId).isTrue();
            assertThat(copied.idle()).isEqualTo(led.idle());
            assertThat(copied.inFlight()).isEqualTo(led.inFlight());
            assertThat(copied.remembered()).isEqualTo(led.remembered());
            assertThat(copied.bytes()).isEqualTo(led.bytes());
            if (work.isAlive(queueId) && !work.hasBegunAgain(queueId)) {
                assertThat(copied.coverage()).isEqualTo(led.coverage());
            }
        }
    }
}
