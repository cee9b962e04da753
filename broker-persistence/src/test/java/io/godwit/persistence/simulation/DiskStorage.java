package io.godwit.persistence.simulation;

import io.godwit.core.simulation.Happening;
import io.godwit.core.simulation.SimulatedNode;
import io.godwit.core.simulation.Storage;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.disk.SimulatedJournal;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Workers;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The production store on a disk and a journal that forget what they may. Its workers are lines of
 * the schedule, so that commits, rows and pages meet in every order; windows are small, so that
 * rows are common. Processes are killed, the power goes at any write, writes and syncs fail.
 */
public final class DiskStorage implements Storage {
    private static final int CALM_MICROS = 500;
    private static final int SERVER_ID = 1;

    /** Tasks of other workers while a flush is under way, fewer than this. */
    private static final int INSIDE_A_FLUSH = 12;

    /** Lines that wait for no flush: commits, rows, and both that read. */
    private static final int[] BESIDE_A_FLUSH = {0, 1, 1, 2, 5};

    /** Of so many steps of a read one fails. */
    private static final int READS_A_FAILURE = 60;

    /** Of so many failures one stays. */
    private static final int STAYING = 4;

    private final SimulatedNode node;
    private final int serverId;
    private final RandomGenerator random;
    private final StoreRules rules;
    private final StoreSettings settings;
    private final int[] delayMicros;
    private final SimulatedDisk.Weather weather = new Trouble();
    private SimulatedDisk disk = new SimulatedDisk(weather);
    private SimulatedJournal journal = new SimulatedJournal(weather);
    private List<Line> lines = List.of();
    private @Nullable DiskStore store;
    private boolean troubled;
    private boolean closed;

    /** Queues whose rows can't be read. */
    private final Set<Long> damaged = new HashSet<>();

    /** Writes until the power goes, or the next one fails; 0 = they do not. */
    private int cutAfter;

    private boolean failing;

    DiskStorage(SimulatedNode node, StoreRules rules) {
        this(node, rules, SERVER_ID);
    }

    private DiskStorage(SimulatedNode node, StoreRules rules, int serverId) {
        this.node = node;
        this.serverId = serverId;
        this.rules = rules;
        random = node.random();
        settings =
                new StoreSettings(
                        Durability.COMMIT,
                        100,
                        pick(0, 0, 500_000, 3_000_000),
                        pick(1, 20, 300),
                        pick(500, 20_000, 64 << 20),
                        pick(3_000, 20_000, 200_000, 256 << 20),
                        0,
                        0,
                        pick(2, 16, 2048));
        delayMicros = new int[6];
        for (int i = 0; i < delayMicros.length; i++) {
            delayMicros[i] = pick(20, 300, 3_000, 30_000);
        }
    }

    /** Makes that of a node of a cluster. */
    public static Storage ofCluster(SimulatedNode node) {
        return new DiskStorage(node, StoreRules.ALL, node.serverId());
    }

    private int pick(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private final class Trouble implements SimulatedDisk.Weather {
        @Override
        public void beforeWrite(boolean sync) throws IOException {
            strike();
        }

        /** Some of its files are written; commits, rows and pages go on meanwhile. */
        @Override
        public void insideFlush() throws IOException {
            strike();
            long before = disk.writes();
            for (int i = random.nextInt(INSIDE_A_FLUSH); i > 0; i--) {
                lines.get(pick(BESIDE_A_FLUSH)).goOn();
            }
            strike();
            if (troubled && disk.writes() > before && random.nextInt(3) == 0) {
                cutAfter = 1 + random.nextInt(3); // while what was written inside is not flushed
            }
        }

        private void strike() throws IOException {
            if (failing) {
                throw new IOException("simulated failure");
            }
            if (cutAfter > 0 && --cutAfter == 0) {
                throw new PowerCut(DiskStorage.this);
            }
        }

        /**
         * What the shards read, where whoever asks tries again, and rows that the row worker has to
         * change. Some stay unreadable for as long as the process runs.
         */
        @Override
        public void beforeRead(Family family, byte @Nullable [] key) throws IOException {
            boolean forShard = lines.get(2).isRunning() || lines.get(5).isRunning();
            boolean forRows = lines.get(1).isRunning() && family == Family.QUEUES;
            if (!troubled || !node.shortage().readsFail() || !(forShard || forRows)) {
                return;
            }
            Long queueId = family == Family.QUEUES && key != null ? Keys.rowQueue(key) : null;
            boolean fails = random.nextInt(READS_A_FAILURE) == 0;
            if (fails && queueId != null && random.nextInt(STAYING) == 0) {
                damaged.add(queueId);
            }
            if (fails || (queueId != null && damaged.contains(queueId))) {
                if (forRows) {
                    node.count(Happening.ROW_UNREADABLE);
                }
                throw new IOException("simulated damage");
            }
        }
    }

    @Override
    public Store open() {
        failing = false;
        damaged.clear();
        if (closed) {
            closed = false;
            disk = disk.reopen();
            journal = journal.kill(); // It was closed, and so has everything.
        }
        if (journal.last() > 0 && journal.bytes() > 0) {
            node.count(Happening.COMMITS_REPLAYED);
        }
        lines = List.of(line(0), line(1), line(2), line(3), line(4), line(5));
        DiskStore opened =
                new DiskStore(
                        disk,
                        journal,
                        settings,
                        node.scheduler(),
                        new Workers(
                                lines.get(0),
                                lines.get(1),
                                List.of(lines.get(2), lines.get(5)),
                                lines.get(3),
                                lines.get(4)),
                        rules,
                        serverId);
        store = opened;
        return new Closing(
                opened,
                () -> {
                    lines.forEach(Line::end);
                    closed = true;
                });
    }

    private Line line(int index) {
        return new Line(node.scheduler(), random, troubled ? delayMicros[index] : CALM_MICROS);
    }

    @Override
    public boolean crash() {
        lines.forEach(Line::end);
        closed = false;
        failing = false;
        cutAfter = 0;
        boolean unsynced = journal.unsyncedRecords() > 0;
        boolean unflushed = disk.unflushedBatches() > 0;
        boolean underWay = !isIdle();
        if (random.nextInt(3) == 0) {
            journal = journal.kill();
        } else {
            journal = journal.powerCut(random);
            if (unsynced) {
                node.count(Happening.UNSYNCED_COMMITS_LOST);
            }
        }
        disk = disk.crash(random, weather);
        if (unflushed) {
            node.count(Happening.UNFLUSHED_ROWS_LOST);
        }
        return unsynced || underWay;
    }

    @Override
    public boolean isIdle() {
        return lines.stream().allMatch(Line::isIdle);
    }

    @Override
    public void trouble() {
        troubled = true;
        for (int i = 0; i < lines.size(); i++) {
            lines.get(i).delay(delayMicros[i]);
        }
    }

    @Override
    public void calm() {
        troubled = false;
        cutAfter = 0;
        damaged.clear();
        lines.forEach(line -> line.delay(CALM_MICROS));
    }

    @Override
    public void fail() {
        failing = true;
    }

    @Override
    public boolean cutSoon() {
        cutAfter = 1 + random.nextInt(12);
        return true;
    }

    @Override
    public String rest() {
        DiskStore running = store;
        long queued = running == null ? 0 : running.value(StoreMetric.QUEUED);
        StringBuilder text = new StringBuilder(queued == 0 ? "" : queued + " queued; ");
        for (Family family : List.of(Family.QUEUES, Family.PAYLOADS, Family.EXPIRY)) {
            int keys = disk.count(family);
            if (keys > 0) {
                text.append(keys).append(" keys in ").append(family).append("; ");
            }
        }
        return text.toString();
    }
}
