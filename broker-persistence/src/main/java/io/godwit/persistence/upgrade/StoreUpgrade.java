package io.godwit.persistence.upgrade;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.files.JournalLook;
import io.godwit.persistence.inspect.Folders;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.rocks.RocksLook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a store of format 1 forward. A store of the present format is made beside it, of its rows
 * and its journal; then the two change places, and the old one is deleted. A crash leaves the old
 * one as it was, or the new one, and what is left of either is cleared away at the next start.
 */
public final class StoreUpgrade {
    private static final Logger LOG = LoggerFactory.getLogger(StoreUpgrade.class);
    private static final String MADE = ".upgraded";
    private static final String OLD = ".format-1";

    private StoreUpgrade() {}

    /**
     * Brings the store in this folder forward if it is of format 1; does nothing to another one.
     *
     * @param newStore a random number
     * @throws StoreUnusable when it is damaged; nothing was changed then
     */
    public static void run(Path store, long newStore) throws StoreUnusable {
        Path made = store.resolveSibling(store.getFileName() + MADE);
        Path old = store.resolveSibling(store.getFileName() + OLD);
        try {
            if (!Files.exists(store) && Files.exists(old) && Files.exists(made)) {
                Files.move(made, store, StandardCopyOption.ATOMIC_MOVE); // it was cut between two
                Folders.sync(store);
            }
            Folders.delete(made);
            if (Files.exists(store.resolve("CURRENT"))
                    && RocksLook.format(store) == OldFormat.VERSION) {
                LOG.info("Upgrading the store in {} from format 1", store);
                make(store, made, newStore);
                Folders.sync(made);
                Files.move(store, old, StandardCopyOption.ATOMIC_MOVE);
                Files.move(made, store, StandardCopyOption.ATOMIC_MOVE);
                Folders.sync(store);
                LOG.info("The store in {} has been upgraded", store);
            }
            if (Files.exists(store.resolve("CURRENT"))) {
                Folders.delete(old);
            }
        } catch (IOException | DiskFailure e) {
            throw new StoreUnusable(
                    "the store in "
                            + store
                            + ", which an older Godwit wrote, can't be upgraded: "
                            + FileCauses.withFile(e)
                            + ". It was left as it was. An upgrade needs as much free space as the store takes.",
                    e);
        }
    }

    private static void make(Path store, Path made, long newStore)
            throws StoreUnusable, IOException, DiskFailure {
        JournalLook look = JournalLook.at(store.resolve(FileJournal.FOLDER));
        OldLoans loans = new OldLoans();
        long position;
        try (RocksLook rocks = RocksLook.open(store, OldFormat.VERSION);
                RocksDisk target = RocksDisk.open(made)) {
            byte[] at = rocks.get(Family.META, Keys.MATERIALISED);
            position = at == null ? 0 : Keys.longAt(at, 0);
            List<String> damage = look.damage(position);
            if (!damage.isEmpty() || look.isMissing() && position > 0) {
                throw new IOException(
                        damage.isEmpty() ? "its journal is missing" : String.join("; ", damage));
            }
            StoreImport to = new StoreImport(target);
            new OldRows(rocks, to, loans).run();
            to.finish();
            Batch batch = new Batch();
            batch.put(Family.META, Keys.MATERIALISED, Keys.position(position));
            batch.put(Family.META, Keys.COVERED, Keys.position(position));
            target.write(batch);
            target.flush();
        }
        replay(made, new OldJournal(look, loans), newStore, position);
    }

    private static void replay(Path made, OldJournal journal, long newStore, long position)
            throws StoreUnusable, DiskFailure {
        try (RocksDisk disk = RocksDisk.open(made)) {
            long last = Restored.of(disk, journal, false).materialiser.position();
            disk.flush();
            FileJournal.create(
                    made.resolve(FileJournal.FOLDER),
                    FileJournal.SEGMENT_BYTES,
                    newStore,
                    Math.max(last, position));
        }
    }
}
