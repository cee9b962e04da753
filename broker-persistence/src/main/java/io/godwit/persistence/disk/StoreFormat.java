package io.godwit.persistence.disk;

import java.nio.ByteBuffer;

/** The number of the format of keys and values, in the store under a key of its own. */
public final class StoreFormat {
    /** Rises with every change that an older broker would misread. */
    public static final int VERSION = 2;

    private static final byte[] KEY = {'F'};

    private StoreFormat() {}

    /** The key in {@link Family#META}. */
    public static byte[] key() {
        return KEY.clone();
    }

    /** Marks a new store. */
    public static void write(Disk disk) throws DiskFailure {
        write(disk, VERSION);
    }

    static void write(Disk disk, int version) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, KEY, ByteBuffer.allocate(4).putInt(version).array());
        disk.write(batch);
        disk.flush();
    }

    /**
     * @param where the store, for the message
     * @throws StoreUnusable when it has another format, or none
     */
    public static void check(DiskView disk, String where) throws StoreUnusable, DiskFailure {
        byte[] value = disk.get(Family.META, KEY);
        if (value == null || value.length != 4) {
            throw new StoreUnusable(
                    "the store in "
                            + where
                            + " has no format number: it is damaged, or not a Godwit store. It was"
                            + " not opened. Restore it from a backup, or move the folder"
                            + " away to start with an empty store.");
        }
        check(ByteBuffer.wrap(value).getInt(), where);
    }

    /** Checks a format number that was read in another way. */
    public static void check(int version, String where) throws StoreUnusable {
        if (version > VERSION) {
            throw new StoreUnusable(
                    "the store in "
                            + where
                            + " has format "
                            + version
                            + " of a newer Godwit; this one reads format "
                            + VERSION
                            + ". It was not opened. Start the newer Godwit, or let it export the"
                            + " queues (godwit store export) and import them into an empty folder"
                            + " here.");
        }
        if (version < VERSION) {
            throw new StoreUnusable(
                    "the store in "
                            + where
                            + " has format "
                            + version
                            + " of an older Godwit; this one reads format "
                            + VERSION
                            + ". It was not opened. The broker upgrades it when it starts.");
        }
    }
}
