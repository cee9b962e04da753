package io.godwit.persistence.recovery;

import io.godwit.core.store.IdFloor;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.StoreUnusable;
import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;

/**
 * The format of the store and the ids of this start, reserved before any of them is given.
 *
 * <pre>
 * 'F' format number varint
 * 'N' start number varint | queue counters given out varint
 * 'C' ceiling of the hybrid clock 8
 * </pre>
 *
 * @param clockCeiling up to here hybrid clock values are reserved
 */
public record Ids(IdFloor floor, long clockCeiling) {
    /** Of what this program writes: {@code persistence.codec} and {@code persistence.journal}. */
    public static final int FORMAT = 1;

    private static final long CLOCK_AHEAD = 10_000L << 16;

    /** Reads what earlier starts have given, and reserves what this one will give. */
    public static Ids reserve(Disk disk, TimeSource time, StoreRules rules) throws DiskFailure {
        checkFormat(disk);
        byte[] ids = disk.get(Family.META, Keys.IDS);
        byte[] ceiling = disk.get(Family.META, Keys.CLOCK);
        long start = 0;
        long counters = 0;
        if (ids != null) {
            ByteReader in = new ByteReader(ids);
            start = in.varint();
            counters = in.varint();
        }
        long clock = ceiling == null ? 0 : Keys.longAt(ceiling, 0);
        long newCeiling = Math.max(clock, time.wallMs() << 16) + CLOCK_AHEAD;
        if (rules.idsAboveCeiling()) {
            Batch batch = new Batch();
            batch.put(Family.META, Keys.FORMAT, new ByteWriter(4).varint(FORMAT).toBytes());
            batch.put(
                    Family.META,
                    Keys.IDS,
                    new ByteWriter(16)
                            .varint(start + 1)
                            .varint(counters + IdFloor.QUEUE_COUNTERS)
                            .toBytes());
            batch.put(Family.META, Keys.CLOCK, Keys.position(newCeiling));
            disk.write(batch, true);
            return new Ids(new IdFloor(start + 1, clock, counters), newCeiling);
        }
        return new Ids(new IdFloor(start + 1, 0, counters), newCeiling);
    }

    private static void checkFormat(Disk disk) throws DiskFailure {
        byte[] stored = disk.get(Family.META, Keys.FORMAT);
        if (stored == null) {
            return;
        }
        long format = new ByteReader(stored).varint();
        if (format != FORMAT) {
            throw new StoreUnusable(
                    "the store has format "
                            + format
                            + ", this version reads format "
                            + FORMAT
                            + (format > FORMAT
                                    ? ": start the newer version that wrote it"
                                    : ": start the version that wrote it, and export"));
        }
    }
}
