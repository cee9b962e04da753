package io.godwit.persistence.recovery;

import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.QueueId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;

/**
 * The ids of this start, reserved before any of them is given: the start number, a second of the
 * hybrid clock and a block of queue ids. More of these are reserved through the journal.
 *
 * <pre>
 * 'N' start number varint
 * 'C' ceiling of the hybrid clock 8
 * 'O' ceiling of the queue counters varint
 * </pre>
 *
 * @param clockCeiling up to here hybrid clock values are reserved
 */
public record ReservedIds(IdFloor floor, long clockCeiling) {
    private static final long CLOCK_BLOCK = 1_000L << 16;

    /**
     * Reads what earlier starts have given, and reserves what this one will give; durable when it
     * returns.
     *
     * @throws StoreDamaged when start numbers or queue ids are used up
     */
    public static ReservedIds reserve(Disk disk, TimeSource time, StoreRules rules)
            throws DiskFailure {
        byte[] ids = disk.get(Family.META, Keys.IDS);
        byte[] ceiling = disk.get(Family.META, Keys.CLOCK);
        byte[] queueIds = disk.get(Family.META, Keys.QUEUE_IDS);
        long start = ids == null ? 0 : new ByteReader(ids).varint();
        long counters = queueIds == null ? 0 : new ByteReader(queueIds).varint();
        long clock = ceiling == null ? 0 : Keys.longAt(ceiling, 0);
        check(start + 1, counters);
        long wallMs = time.wallMs();
        // Not yet from a clock that may be years ahead: what is given raises the ceiling anyway.
        boolean isSure = clock == 0 || wallMs <= (clock >>> 16) + TimeSource.LONG_STOP_MS;
        long newCeiling = (isSure ? Math.max(clock, wallMs << 16) : clock) + CLOCK_BLOCK;
        if (!rules.holds(StoreRule.IDS_ABOVE_CEILING)) {
            return new ReservedIds(
                    new IdFloor(start + 1, 0, counters, counters + IdFloor.QUEUE_BLOCK),
                    newCeiling);
        }
        Batch batch = new Batch();
        batch.put(Family.META, Keys.IDS, new ByteWriter(10).varint(start + 1).toBytes());
        batch.put(Family.META, Keys.CLOCK, Keys.position(newCeiling));
        long newCounters = counters + IdFloor.QUEUE_BLOCK;
        batch.put(Family.META, Keys.QUEUE_IDS, new ByteWriter(10).varint(newCounters).toBytes());
        disk.write(batch);
        disk.flush();
        return new ReservedIds(new IdFloor(start + 1, clock, counters, newCounters), newCeiling);
    }

    private static void check(long start, long counters) {
        if (start > IngressId.START_MAX) {
            throw new StoreDamaged(
                    "the store was started "
                            + IngressId.START_MAX
                            + " times, and there is no start number left. It was not opened."
                            + " 'godwit store export' and 'godwit store import' turn it"
                            + " into a store with a new server id, which counts from the"
                            + " beginning.");
        }
        if (counters + IdFloor.QUEUE_BLOCK > QueueId.COUNTER_MAX) {
            throw new StoreDamaged(
                    "the store has used up the queue ids of its server id. It was not opened."
                            + " 'godwit store export' and 'godwit store import' turn it into a"
                            + " store with a new server id, which counts from the beginning.");
        }
    }
}
