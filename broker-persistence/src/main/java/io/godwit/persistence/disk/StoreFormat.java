package io.godwit.persistence.disk;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The number of the format of keys, values and the journal's operations, in the store under a key
 * of its own. A store of another format is not opened, and nothing upgrades it: an export by the
 * Godwit that wrote it is imported here.
 */
public final class StoreFormat {
    /** Rises with every change after which this broker would misread what an older one wrote. */
    public static final int VERSION = 3;

    private static final byte[] KEY = {'F'};

    private static final String OLDER =
            ": write it to a file with the older Godwit that made it (godwit store export FILE),"
                    + " move the folder away, and read the file with this one (godwit store import"
                    + " FILE).";
    private static final String NEWER =
            ": start the newer Godwit that made it, since no older one can read its export.";

    private StoreFormat() {}

    /** The key in {@link Family#META}. */
    public static byte[] key() {
        return KEY.clone();
    }

    /** Marks a new store. */
    public static void write(Disk disk) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, KEY, ByteBuffer.allocate(4).putInt(VERSION).array());
        disk.write(batch);
        disk.flush();
    }

    /**
     * Checks the number of a store that is open.
     *
     * @param where the store's folder, for the message
     * @throws StoreUnusable when it has another format, or none
     */
    public static void check(DiskView disk, String where) throws StoreUnusable, DiskFailure {
        check(disk.get(Family.META, KEY), where);
    }

    /**
     * Checks the value that stands under the key.
     *
     * @throws StoreUnusable as {@link #check(DiskView, String)}
     */
    public static void check(byte @Nullable [] value, String where) throws StoreUnusable {
        if (value == null || value.length != 4) {
            throw new StoreUnusable(
                    "the store in "
                            + where
                            + " has no format number: it is damaged, or not a Godwit store. It was"
                            + " not opened. Restore it from a backup, or move the folder"
                            + " away to start with an empty store.");
        }
        int version = ByteBuffer.wrap(value).getInt();
        if (version != VERSION) {
            throw new StoreUnusable(
                    "the store in "
                            + where
                            + " has format "
                            + version
                            + ", and this Godwit reads format "
                            + VERSION
                            + (version < VERSION ? OLDER : NEWER));
        }
    }
}
