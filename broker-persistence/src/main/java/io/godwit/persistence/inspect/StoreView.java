package io.godwit.persistence.inspect;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.files.JournalLook;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.RocksLook;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A store as a broker would find it, what stands in the journal alone included, without a change to
 * any of its files. Of a damaged one everything is shown that can be read: rows outside of damaged
 * blocks, and the journal up to its first damage. Nobody else may have the store open.
 */
public final class StoreView implements AutoCloseable {
    private final RocksLook rocks;
    private final JournalLook journal;
    private final OverlayDisk disk;
    private final List<String> problems = new ArrayList<>();
    private long rowsPosition;
    private long journalPosition;

    private StoreView(RocksLook rocks, JournalLook journal) {
        this.rocks = rocks;
        this.journal = journal;
        disk = new OverlayDisk(rocks);
    }

    /**
     * Opens the store in this folder.
     *
     * @throws StoreUnusable when nothing of it can be read
     */
    public static StoreView open(Path folder) throws StoreUnusable {
        RocksLook rocks = RocksLook.open(folder);
        StoreView view = null;
        try {
            Path journal = folder.resolve(FileJournal.FOLDER);
            view = new StoreView(rocks, JournalLook.at(journal));
            view.replay(folder);
            return view;
        } catch (IOException e) {
            throw new StoreUnusable(
                    "can't read the journal in " + folder + ": " + FileCauses.withFile(e), e);
        } finally {
            if (view == null) {
                rocks.close();
            }
        }
    }

    private void replay(Path folder) {
        try {
            byte[] position = rocks.get(Family.META, Keys.MATERIALISED);
            rowsPosition = position == null ? 0 : Keys.longAt(position, 0);
            journalPosition = rowsPosition;
            long needed = Restored.neededBehind(rocks);
            journal.damage(needed).forEach(each -> problems.add("the journal is damaged: " + each));
            if (journal.isMissing() && rowsPosition > 0) {
                problems.add("the journal is missing");
            } else if (journal.begins() > needed + 1) {
                problems.add(
                        "the journal begins at position "
                                + journal.begins()
                                + ", but rows were flushed only up to "
                                + needed);
            }
            journal.replay(rowsPosition, (at, flags, record) -> journalPosition = at);
            if (journalPosition == rowsPosition && rowsPosition < journal.lastKnown()) {
                problems.add(
                        "records "
                                + (rowsPosition + 1)
                                + " to "
                                + journal.lastKnown()
                                + " of the journal can't be read");
            }
            Restored.of(disk, journal, true); // what it writes stays in the overlay
        } catch (DiskFailure | StoreDamaged | IllegalStateException e) {
            problems.add(
                    "the journal in "
                            + folder
                            + " can't be replayed on its rows: "
                            + e.getMessage());
        }
    }

    /** Everything, as a database; what is written to it is forgotten. */
    public Disk disk() {
        return disk;
    }

    /** Its files without what the journal adds. */
    public RocksLook rocks() {
        return rocks;
    }

    public JournalLook journal() {
        return journal;
    }

    /** The position up to which rows stand for the journal. */
    public long rowsPosition() {
        return rowsPosition;
    }

    /** The last record of the journal that could be read. */
    public long journalPosition() {
        return journalPosition;
    }

    /** What kept something from being shown, as sentences without a full stop. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    @Override
    public void close() {
        disk.close();
    }
}
