package io.godwit.persistence.queue;

import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The depths of all queues that ever had a row, in memory; written with the rows they count. */
public final class Depths {
    /** Queues that ended and whose rows' room is not given back yet; more are left to RocksDB. */
    private static final int ENDED_MAX = 100_000;

    private final DiskView disk;
    private final StoreCounts counts;
    private final StoreDamage damage;
    private final QueueLeaders queueLeaders;
    private final Map<Long, Depth> all = new ConcurrentHashMap<>();
    private final List<Depth> touched = new ArrayList<>();

    /** Markers that are to stand in a queue as soon as it can be read. */
    private final Map<Long, Integer> toCome = new HashMap<>();

    private final Queue<Long> ended = new ArrayBlockingQueue<>(ENDED_MAX);
    private final Total own = new Total(StoreMetric.QUEUED, StoreMetric.QUEUED_BYTES);
    private final Total ofCopies =
            new Total(StoreMetric.COPIES_QUEUED, StoreMetric.COPIES_QUEUED_BYTES);

    /** What some queues have in rows. */
    private final class Total {
        private final StoreMetric rowsMetric;
        private final StoreMetric bytesMetric;
        private long rows;
        private long bytes;
        private long rowsTold;
        private long bytesTold;

        Total(StoreMetric rowsMetric, StoreMetric bytesMetric) {
            this.rowsMetric = rowsMetric;
            this.bytesMetric = bytesMetric;
        }

        void tell() {
            counts.add(rowsMetric, rows - rowsTold);
            counts.add(bytesMetric, bytes - bytesTold);
            rowsTold = rows;
            bytesTold = bytes;
        }
    }

    public Depths(
            DiskView disk, StoreCounts counts, StoreDamage damage, QueueLeaders queueLeaders) {
        this.queueLeaders = queueLeaders;
        this.damage = damage;
        this.disk = disk;
        this.counts = counts;
    }

    /** Reads all of them; the queues' leaders are known. */
    public void load() throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'D'}, new byte[] {'D' + 1})) {
            while (cursor.next()) {
                long queueId = Keys.longAt(cursor.key(), 1);
                Depth depth = Depth.read(queueId, cursor.value());
                all.put(queueId, depth);
                count(depth);
            }
        }
        tell();
    }

    /** The queue's, or null when it never had a row; any thread. */
    public @Nullable Depth find(long queueId) {
        return all.get(queueId);
    }

    /** What a queue has in rows, or null when it never had one; not while rows are written. */
    public @Nullable QueueDepth depth(long queueId) {
        Depth depth = all.get(queueId);
        return depth == null ? null : depth.toQueueDepth(toCome.getOrDefault(queueId, 0));
    }

    /** A marker of the queue could not be written at this start: it is told of all the same. */
    void toCome(long queueId) {
        toCome.merge(queueId, 1, Integer::sum);
    }

    /** Ids of all queues that ever had a row. */
    public Iterable<Long> queueIds() {
        return all.keySet();
    }

    /** The queue's, to be changed: written with this run. */
    Depth touch(long queueId) {
        Depth depth = all.computeIfAbsent(queueId, Depth::new);
        if (!depth.touched) {
            depth.touched = true;
            touched.add(depth);
            Total of = depth.isCopy ? ofCopies : own;
            of.rows -= depth.idle;
            of.bytes -= depth.idleBytes;
        }
        return depth;
    }

    /** Begins the depth of a queue anew: all of its rows are deleted with this run. */
    void begin(long queueId) {
        if (all.containsKey(queueId)) {
            touch(queueId).begin();
        }
    }

    /** Has a queue counted anew whose leader has changed. */
    void leaderChanged(long queueId) {
        Depth depth = all.get(queueId);
        if (depth != null && depth.isCopy != queueLeaders.isCopy(queueId)) {
            touch(queueId);
        }
    }

    private void count(Depth depth) {
        depth.isCopy = queueLeaders.isCopy(depth.queueId);
        Total of = depth.isCopy ? ofCopies : own;
        of.rows += depth.idle;
        of.bytes += depth.idleBytes;
    }

    /** Puts what this run has changed into its batch. */
    void write(Batch batch) {
        for (Depth depth : touched) {
            depth.touched = false;
            byte[] key = Keys.meta('D', depth.queueId);
            if (depth.isGone) {
                batch.delete(Family.META, key);
                all.remove(depth.queueId);
                if (depth.deleted > 0) {
                    ended.offer(depth.queueId);
                }
            } else {
                count(depth);
                batch.put(Family.META, key, depth.toBytes());
            }
        }
        tell();
    }

    /** After the batch was written: looks for the heads of queues that lost many rows. */
    void written() throws DiskFailure {
        for (Depth depth : touched) {
            if (depth.needsProbe()) {
                probe(depth);
            }
        }
        touched.clear();
    }

    private void probe(Depth depth) throws DiskFailure {
        try (Cursor cursor =
                disk.scan(
                        Family.QUEUES,
                        Keys.rowsAbove(depth.queueId, Keys.IDLE, depth.first),
                        Keys.rowsEnd(depth.queueId, Keys.IDLE))) {
            if (cursor.next()) {
                depth.first = Keys.rowClock(cursor.key()) - 1;
            }
        } catch (Unreadable e) {
            damage.ofQueue(depth.queueId, e);
        }
        depth.removed = 0;
    }

    /**
     * The keys of queues that have lost half of their rows or more since they were taken last:
     * those of neighbours together. On the compaction worker.
     */
    public List<KeyRange> takeDrained() {
        List<Long> drained = new ArrayList<>();
        List<Long> others = new ArrayList<>();
        for (Long queueId = ended.poll(); queueId != null; queueId = ended.poll()) {
            drained.add(queueId);
        }
        for (Depth depth : all.values()) {
            long rows = depth.idle + depth.inFlight;
            long deleted = depth.deleted;
            if (deleted > depth.compacted && deleted - depth.compacted >= rows) {
                drained.add(depth.queueId);
                depth.compacted = deleted;
            } else if (rows > 0) {
                others.add(depth.queueId);
            }
        }
        drained.sort(Long::compareUnsigned);
        others.sort(Long::compareUnsigned);
        List<KeyRange> ranges = new ArrayList<>();
        int other = 0;
        for (int i = 0; i < drained.size(); ) {
            long first = drained.get(i);
            while (other < others.size() && Long.compareUnsigned(others.get(other), first) < 0) {
                other++;
            }
            long last = first;
            while (i < drained.size()
                    && (other == others.size()
                            || Long.compareUnsigned(drained.get(i), others.get(other)) < 0)) {
                last = drained.get(i++);
            }
            ranges.add(new KeyRange(Keys.rowsStart(first), Keys.rowsEnd(last, Keys.IDLE)));
        }
        return ranges;
    }

    private void tell() {
        own.tell();
        ofCopies.tell();
    }
}
