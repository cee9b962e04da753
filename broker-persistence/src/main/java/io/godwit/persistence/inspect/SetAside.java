package io.godwit.persistence.inspect;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.files.JournalLook;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.DamageReport;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.rocks.RocksLook;
import io.godwit.persistence.rocks.TableDamage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a store of what can be read of a damaged one. The readable rows are brought into a new
 * store, whose counts are made anew, and what of the journal can be read is replayed onto them;
 * then the damaged store is moved away as a whole, and the new one takes its place. A crash leaves
 * the damaged store where it is, or an attempt that {@link #isCut}.
 */
public final class SetAside {
    private static final String MADE = ".readable";

    private final Path store;
    private final Path aside;
    private final long newStore;
    private final List<String> givenUp = new ArrayList<>();
    private boolean floorsAreLost;
    private long kept;

    /** Position up to which coverage stands for the journal; behind that of the rows, often. */
    private long covered = Long.MAX_VALUE;

    /**
     * What was done.
     *
     * @param givenUp one sentence for each thing, without a full stop
     * @param items that were kept
     * @param floorsAreLost the ids given out so far can't be read: the node needs a new server id
     */
    public record Outcome(Path aside, List<String> givenUp, long items, boolean floorsAreLost) {}

    private static Path made(Path store) {
        return store.resolveSibling(store.getFileName() + MADE);
    }

    /**
     * Whether an attempt was cut between the two moves: the damaged store is away, and what was
     * made of it is not in its place. An empty store must not be made there.
     */
    public static boolean isCut(Path store) {
        return !Files.exists(store) && Files.exists(made(store));
    }

    /** Ends an attempt that {@link #isCut}. */
    public static void finish(Path store) throws IOException {
        Files.move(made(store), store, StandardCopyOption.ATOMIC_MOVE);
        Folders.sync(store);
    }

    private SetAside(Path store, Path aside, long newStore) {
        this.store = store;
        this.aside = aside;
        this.newStore = newStore;
    }

    /**
     * Moves the damaged store away and leaves what can be read of it.
     *
     * @param aside where the damaged store goes; must not exist, and be on the same file system
     * @param newStore a random number
     * @throws StoreUnusable when nothing can be read at all; then nothing was moved
     */
    public static Outcome run(Path store, Path aside, long newStore)
            throws StoreUnusable, IOException, DiskFailure {
        SetAside work = new SetAside(store, aside, newStore);
        return work.run();
    }

    private Outcome run() throws StoreUnusable, IOException, DiskFailure {
        Path made = made(store);
        Folders.delete(made); // of an attempt that was cut
        DamageReport report = DamageReport.of(store);
        for (TableDamage each : report.tables()) {
            givenUp.add(each.describe());
        }
        JournalLook journal = JournalLook.at(store.resolve(FileJournal.FOLDER));
        if (journal.isMissing()) {
            givenUp.add("the journal, which is missing");
        }
        long position = rows(made, report, journal);
        journal.damage(Math.max(0, Math.min(position, covered)))
                .forEach(each -> givenUp.add("the journal is damaged: " + each));
        if (position >= 0) {
            replay(made, journal, position);
        } else {
            givenUp.add(
                    "the journal up to commit "
                            + journal.lastKnown()
                            + ", since it can't be read up to which one it is in rows");
            beginJournal(made, journal.lastKnown());
        }
        Folders.sync(made);
        Files.move(store, aside, StandardCopyOption.ATOMIC_MOVE);
        finish(store);
        return new Outcome(aside, List.copyOf(givenUp), kept, floorsAreLost);
    }

    /**
     * Brings readable rows over.
     *
     * @return position that they stand for; -1 when it can't be read
     */
    private long rows(Path made, DamageReport report, JournalLook journal)
            throws StoreUnusable, IOException, DiskFailure {
        try (RocksLook rocks = RocksLook.open(store);
                RocksDisk target = RocksDisk.open(made)) {
            List<String> failures = new ArrayList<>();
            List<SalvageDisk.Gap> gaps = SalvageDisk.gaps(rocks.tables(), report.tables());
            SalvageDisk readable = new SalvageDisk(rocks, gaps, failures::add);
            StoreImport to = new StoreImport(target);
            StoreExport from =
                    new StoreExport(readable, to)
                            .withoutCoverage(queueId ->
                                    gaps.stream().anyMatch(gap -> gap.mayHaveRowsOf(queueId))
                                            || to.dropped().containsKey(queueId));
            kept = from.run();
            to.finish();
            failures.stream().distinct().forEach(givenUp::add);
            to.dropped()
                    .forEach((queueId, count) ->
                            givenUp.add(
                                    "queue "
                                            + Queues.text(queueId)
                                            + ": "
                                            + count
                                            + " messages whose payload can't be read"));
            if (from.ownerless() > 0) {
                givenUp.add(
                        from.ownerless()
                                + " messages of queues whose session or group can't be read");
            }
            floorsAreLost =
                    readable.get(Family.META, Keys.IDS) == null
                            || readable.get(Family.META, Keys.CLOCK) == null;
            byte[] position = readable.get(Family.META, Keys.MATERIALISED);
            boolean isNeverUsed = journal.lastKnown() == 0;
            long known =
                    position != null
                            ? Keys.longAt(position, 0)
                            : isNeverUsed || !report.isDamaged() ? 0 : -1;
            byte[] mark = readable.get(Family.META, Keys.COVERED);
            if (mark != null && known >= 0) {
                covered = Keys.longAt(mark, 0);
            }
            // What lies between both is replayed once more, for the coverage that it proves.
            Batch batch = new Batch();
            long rows = known < 0 ? journal.lastKnown() : known;
            batch.put(Family.META, Keys.MATERIALISED, Keys.position(rows));
            batch.put(Family.META, Keys.COVERED, Keys.position(Math.min(rows, covered)));
            target.write(batch);
            target.flush();
            return known;
        }
    }

    /** What of the journal can be read becomes rows; then an empty one goes on behind it. */
    private void replay(Path made, JournalLook journal, long position)
            throws StoreUnusable, DiskFailure {
        try (RocksDisk disk = RocksDisk.open(made)) {
            long last = Restored.of(disk, journal, true).materialiser.position();
            disk.flush();
            beginJournal(made, Math.max(last, position));
            if (last < journal.lastKnown()) {
                givenUp.add(
                        "commits " + (last + 1) + " to " + journal.lastKnown() + " of the journal");
            }
        }
    }

    private void beginJournal(Path made, long position) throws StoreUnusable {
        Path folder = made.resolve(FileJournal.FOLDER);
        FileJournal.create(folder, FileJournal.SEGMENT_BYTES, newStore, position);
    }
}
