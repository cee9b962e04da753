package io.godwit.persistence.recovery;

import io.godwit.core.id.IdFloor;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;

/**
 * The ids of this start, reserved before any of them is given.
 *
 * <pre>
 * 'N' start number varint | queue counters given out varint
 * 'C' ceiling of the hybrid clock 8
 * </pre>
 *
 * @param clockCeiling up to here hybrid clock values are reserved
 */
public record Ids(IdFloor floor, long clockCeiling) {
    private static final long CLOCK_AHEAD = 10_000L << 16;

    /**
     * Reads what earlier starts have given, and reserves what this one will give; durable when it
     * returns.
     */
    public static Ids reserve(Disk disk, TimeSource time, StoreRules rules) throws DiskFailure {
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
        if (!rules.idsAboveCeiling()) {
            return new Ids(new IdFloor(start + 1, 0, counters), newCeiling);
        }
        Batch batch = new Batch();
        long nextCounters = counters + IdFloor.QUEUE_COUNTERS;
        batch.put(
                Family.META,
                Keys.IDS,
                new ByteWriter(16).varint(start + 1).varint(nextCounters).toBytes());
        batch.put(Family.META, Keys.CLOCK, Keys.position(newCeiling));
        disk.write(batch);
        disk.flush();
        return new Ids(new IdFloor(start + 1, clock, counters), newCeiling);
    }
}
