package io.godwit.cluster.replication;

import io.godwit.core.operation.ByteReader;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One node's file of records: a save takes a while, and may be lost with a crash. */
final class SimulatedRecordsFile implements CopyRecordsFile {
    private final RandomGenerator random;
    private byte[] durable = new byte[0];
    private List<CopyRecord> records = List.of();
    private final LongSupplier clock;
    private @Nullable Save underWay;

    /** How long a save takes at most. */
    int slowestMs = 1;

    private record Save(byte[] records, Runnable whenKept, long dueMs) {}

    SimulatedRecordsFile(RandomGenerator random, LongSupplier clock) {
        this.random = random;
        this.clock = clock;
    }

    @Override
    public byte[] load() {
        return durable;
    }

    @Override
    public void save(byte[] changed, Runnable whenKept) {
        if (underWay != null) {
            throw new IllegalStateException("one after the other");
        }
        underWay = new Save(changed, whenKept, clock.getAsLong() + random.nextInt(slowestMs));
    }

    /** Whether a save can end now. */
    boolean isDue() {
        return underWay != null && underWay.dueMs <= clock.getAsLong();
    }

    /** What is being saved is on the disk. */
    void finish() {
        Save save = underWay;
        if (save != null) {
            underWay = null;
            write(save.records);
            save.whenKept.run();
        }
    }

    private void write(byte[] written) {
        durable = written;
        records = written.length == 0 ? List.of() : CopyRecord.readAll(new ByteReader(written));
    }

    /** The process has ended: what was being saved is on the disk, or not. */
    void crash() {
        Save save = underWay;
        underWay = null;
        if (save != null && random.nextBoolean()) {
            write(save.records);
        }
    }

    void wipe() {
        underWay = null;
        write(new byte[0]);
    }

    /** Returns the records on the disk. */
    List<CopyRecord> records() {
        return records;
    }
}
