package io.godwit.persistence.queue;

import io.godwit.core.message.Coverage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.Grown;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Coverage of the queues, on the disk. It grows with each append that is written, also of a queue
 * whose messages all die within the journal's window; so it is written in one go before a flush,
 * from what the queues' handles say, with the position up to which it is complete. The journal
 * stays until then.
 */
public final class Coverages {
    private final Disk disk;
    private final Map<Long, Coverage> learned = new HashMap<>();

    public Coverages(Disk disk) {
        this.disk = disk;
    }

    /** Takes what a replayed record proves: an append, and the one before it. */
    void learn(long queueId, long previousClock, int previousServer, long clock, int server) {
        long from = previousServer == server ? previousClock : clock - 1;
        learned.computeIfAbsent(queueId, any -> new Coverage()).add(server, from, clock);
    }

    /** Adds what was learned of a queue and is not written yet. */
    public void addLearned(long queueId, Coverage to) {
        Coverage more = learned.get(queueId);
        if (more != null) {
            to.add(more);
        }
    }

    /** Puts what was learned into the batch of this run. */
    void writeLearned(Batch batch) throws DiskFailure {
        for (Map.Entry<Long, Coverage> each : learned.entrySet()) {
            Coverage coverage = of(each.getKey());
            coverage.add(each.getValue());
            put(batch, each.getKey(), coverage);
        }
        learned.clear();
    }

    /**
     * Writes what was learned and is not with any rows, with the position up to which that is all;
     * at a start, when nobody else writes.
     */
    public void writeLearned(long position) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, Keys.COVERED, Keys.position(position));
        writeLearned(batch);
        disk.write(batch);
    }

    /** Puts what queues have grown by into a batch. */
    void write(Batch batch, List<Grown> grown) throws DiskFailure {
        for (Grown each : grown) {
            Coverage coverage = of(each.queueId());
            coverage.add(each.server(), each.from(), each.to());
            put(batch, each.queueId(), coverage);
        }
    }

    /**
     * Writes what queues have grown by, with the position up to which that is all.
     *
     * @param grown may be empty
     */
    public void write(long position, List<Grown> grown) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, Keys.COVERED, Keys.position(position));
        write(batch, grown);
        disk.write(batch);
    }

    /** A queue's coverage as it stands on the disk: up to the last flush. */
    public Coverage of(long queueId) throws DiskFailure {
        byte[] value = disk.get(Family.META, Keys.meta('Q', queueId));
        return value == null ? new Coverage() : CoverageCodec.read(new ByteReader(value));
    }

    private static void put(Batch batch, long queueId, Coverage coverage) {
        ByteWriter value = new ByteWriter(32);
        CoverageCodec.write(value, coverage);
        batch.put(Family.META, Keys.meta('Q', queueId), value.toBytes());
    }
}
