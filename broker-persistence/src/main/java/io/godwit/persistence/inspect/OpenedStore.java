package io.godwit.persistence.inspect;

import io.godwit.core.id.IdFloor;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import java.nio.file.Path;

/**
 * A store opened to be changed, as a broker opens it: everything of the journal has become rows. A
 * damaged one is not opened. Nobody else may have it open.
 */
public final class OpenedStore implements AutoCloseable {
    private final Disk disk;
    private final DiskStore store;
    private final IdFloor floor;

    private OpenedStore(Disk disk, DiskStore store, IdFloor floor) {
        this.disk = disk;
        this.store = store;
        this.floor = floor;
    }

    /**
     * @param wallMs epoch milliseconds
     * @param newStore a random number, for a store that has no journal yet
     * @throws StoreUnusable says what the operator can do
     */
    public static OpenedStore open(Path folder, long wallMs, long newStore) throws StoreUnusable {
        return open(folder, RocksDisk.open(folder), wallMs, newStore);
    }

    /** Opens it as a broker does, also when rows of queues are damaged. */
    static OpenedStore besideDamage(Path folder, long wallMs, long newStore) throws StoreUnusable {
        return open(folder, RocksDisk.serve(folder, 0), wallMs, newStore);
    }

    private static OpenedStore open(Path folder, Disk disk, long wallMs, long newStore)
            throws StoreUnusable {
        Journal journal = null;
        OpenedStore opened = null;
        try {
            journal =
                    FileJournal.open(
                            folder.resolve(FileJournal.FOLDER),
                            FileJournal.SEGMENT_BYTES,
                            newStore,
                            Restored.neededBehind(disk));
            DiskStore store =
                    new DiskStore(
                            disk,
                            journal,
                            StoreSettings.DEFAULTS,
                            Quiet.at(wallMs),
                            Quiet.WORKERS,
                            StoreRules.ALL,
                            0);
            IdFloor floor = store.start(1, Quiet.LISTENER);
            opened = new OpenedStore(disk, store, floor);
            return opened;
        } catch (DiskFailure e) {
            throw new StoreUnusable("" + e.getMessage(), e);
        } catch (StoreDamaged e) {
            throw new StoreUnusable(e.getMessage() + " Nothing was changed.", e);
        } finally {
            if (opened == null) {
                if (journal != null) {
                    journal.close();
                }
                disk.close();
            }
        }
    }

    public Disk disk() {
        return disk;
    }

    /** Ids above it are nobody's: this opening has reserved them. */
    IdFloor floor() {
        return floor;
    }

    @Override
    public void close() {
        store.close();
    }
}
