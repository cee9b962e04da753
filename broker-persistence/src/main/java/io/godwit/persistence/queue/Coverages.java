package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.Grown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Coverage of the queues, on the disk. It grows with each append that is written, also of a queue
 * whose messages all die within the journal's window; so it is written in one go before a flush,
 * with the position up to which it is complete. The journal stays until then.
 *
 * <p>Only the row worker writes it: what this node's own queues have grown by comes to it from the
 * commit worker, in the order of the journal, so that nothing of a queue comes behind its end.
 */
public final class Coverages {
    /** Queues of one write: longer ones would hold rows up. */
    private static final int SLICE = 1000;

    private final Disk disk;

    /** What was learned of a queue, beyond what stands on the disk. */
    private static final class Learned {
        final Coverage coverage = new Coverage();

        /** Of what stands on the disk, nothing in these ranges counts: above, up to, above ... */
        final List<HybridId> replaced = new ArrayList<>(0);

        /** Adds this to what stands on the disk. */
        Coverage addTo(Coverage stored) {
            Coverage sum = stored;
            for (int i = 0; i < replaced.size(); i += 2) {
                sum = sum.without(replaced.get(i), replaced.get(i + 1));
            }
            sum.add(coverage);
            return sum;
        }
    }

    private final Map<Long, Learned> learned = new HashMap<>();
    private final Map<Long, Grown> grown = new LinkedHashMap<>();
    private long grownTo;
    private @Nullable LongConsumer whenWritten;

    public Coverages(Disk disk) {
        this.disk = disk;
    }

    /** Takes what a replayed record proves: an append, and the one before it. */
    void learn(long queueId, long previousClock, int previousServer, long clock, int server) {
        long from = previousServer == server ? previousClock : clock - 1;
        learned(queueId).coverage.add(server, from, clock);
    }

    private Learned learned(long queueId) {
        return learned.computeIfAbsent(queueId, any -> new Learned());
    }

    /** Takes the coverage of a range of a copy in place of what was known of it. */
    void replace(Subject.CopyRange range) {
        grown.remove(range.queueId()); // Of a queue that this node led before.
        Learned of = learned(range.queueId());
        Coverage kept = of.coverage.without(range.above(), range.upTo());
        Learned now = new Learned();
        now.replaced.addAll(of.replaced);
        now.replaced.add(range.above());
        now.replaced.add(range.upTo());
        now.coverage.add(kept);
        now.coverage.add(range.coverage());
        learned.put(range.queueId(), now);
    }

    /** Takes all that this node has appended to a queue in this start: now another one does. */
    void yielded(Subject.Yielded of) {
        if (of.appendedTo != 0) {
            learned(of.queueId).coverage.add(of.appendedServer, of.appendedFrom, of.appendedTo);
        }
    }

    /** The queue has ended: what was learned of it before is of no use. */
    void gone(long queueId) {
        learned.remove(queueId);
        grown.remove(queueId);
    }

    /** Adds what was learned of a queue, and is not written yet, to what is. */
    public Coverage withLearned(long queueId, Coverage stored) {
        Learned more = learned.get(queueId);
        return more == null ? stored : more.addTo(stored);
    }

    /** Puts what was learned into the batch of this run. */
    void writeLearned(Batch batch) throws DiskFailure {
        for (Map.Entry<Long, Learned> each : learned.entrySet()) {
            put(batch, each.getKey(), each.getValue().addTo(of(each.getKey())));
        }
        learned.clear();
    }

    /**
     * Writes what was learned and is not with any rows, with the position up to which that is all;
     * at a start.
     */
    public void writeLearned(long position) throws DiskFailure {
        Batch batch = new Batch();
        batch.put(Family.META, Keys.COVERED, Keys.position(position));
        writeLearned(batch);
        disk.write(batch);
    }

    /**
     * Takes what this node's own queues have grown by.
     *
     * @param more may be empty
     * @param position up to which that is all
     * @param then told of the position when it is written
     */
    public void take(List<Grown> more, long position, LongConsumer then) {
        for (Grown each : more) {
            grown.put(each.queueId(), each); // It has all of one that was taken before.
        }
        grownTo = position;
        whenWritten = then;
    }

    /** Whether something that was taken is not written yet. */
    boolean isDue() {
        return whenWritten != null;
    }

    /** Puts a slice of what was taken into a batch; the last one with its position. */
    void writeGrown(Batch batch) throws DiskFailure {
        Iterator<Grown> next = grown.values().iterator();
        for (int i = 0; i < SLICE && next.hasNext(); i++) {
            Grown each = next.next();
            Coverage coverage = of(each.queueId());
            coverage.add(each.server(), each.from(), each.to());
            put(batch, each.queueId(), coverage);
            next.remove();
        }
        if (grown.isEmpty()) {
            batch.put(Family.META, Keys.COVERED, Keys.position(grownTo));
        }
    }

    /** The batch was written. */
    void writtenGrown() {
        LongConsumer told = whenWritten;
        if (grown.isEmpty() && told != null) {
            whenWritten = null;
            told.accept(grownTo);
        }
    }

    /** A queue's coverage as it stands on the disk: up to the last flush. Any thread. */
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
