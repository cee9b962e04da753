package io.godwit.persistence.queue;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Subject;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.QueueHandles;
import java.util.HashMap;
import java.util.Map;

/**
 * Which replica set a queue is of, and which queue goes before it, on the disk. Most are of set 0,
 * without other copies, and have none of these. On the row worker, once loaded.
 *
 * <pre>
 * 'A' queue id 8      replica set varint
 * 'E' queue id 8      queue id of its predecessor 8
 * </pre>
 */
public final class QueueRecords {
    private final QueueHandles handles;

    /** Replica sets, as they are on the disk. */
    private final Map<Long, Integer> sets = new HashMap<>();

    private final Map<Long, Long> predecessors = new HashMap<>();
    private final Map<Long, Long> successors = new HashMap<>();

    public QueueRecords(QueueHandles handles) {
        this.handles = handles;
    }

    /** Reads all of them; before anything else asks for a queue's handle. */
    public void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'A'}, new byte[] {'A' + 1})) {
            while (cursor.next()) {
                long queueId = Keys.longAt(cursor.key(), 1);
                int set = replicaSet(cursor.value());
                sets.put(queueId, set);
                handles.get(queueId, set);
            }
        }
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'E'}, new byte[] {'E' + 1})) {
            while (cursor.next()) {
                link(Keys.longAt(cursor.key(), 1), Keys.longAt(cursor.value(), 0));
            }
        }
    }

    /** One of 'A'. */
    public static int replicaSet(byte[] value) {
        return new ByteReader(value).smallInt();
    }

    /** The value that {@link #replicaSet} reads. */
    public static byte[] value(int replicaSet) {
        return new ByteWriter(5).varint(replicaSet).toBytes();
    }

    private void link(long queueId, long predecessorId) {
        predecessors.put(queueId, predecessorId);
        successors.put(predecessorId, queueId);
    }

    /** A part of this node's own is replayed: its queues are of this set. */
    public void ofSet(long queueId, int replicaSet) {
        handles.get(queueId, replicaSet);
    }

    /** A record of the queue's session or group leaves the window. */
    void put(Batch batch, long queueId) {
        handles.lives(queueId);
        int set = handles.setOf(queueId);
        if (set != sets.getOrDefault(queueId, 0)) {
            sets.put(queueId, set);
            batch.put(Family.META, Keys.meta('A', queueId), value(set));
        }
    }

    void put(Batch batch, Subject.PrecededBy put) {
        if (put.predecessorId() == 0) {
            unlink(batch, put.queueId()); // Of a copy, whose leader has none.
            return;
        }
        link(put.queueId(), put.predecessorId());
        byte[] value = Keys.position(put.predecessorId());
        batch.put(Family.META, Keys.meta('E', put.queueId()), value);
    }

    /** The queue's session or group is gone, or it was a predecessor, and is given up. */
    void gone(Batch batch, long queueId) {
        if (sets.remove(queueId) != null) {
            batch.delete(Family.META, Keys.meta('A', queueId));
        }
        Long successor = successors.get(queueId);
        unlink(batch, successor == null ? queueId : successor);
    }

    /** Nothing of the queue is left on the disk. */
    void ended(long queueId) {
        handles.remove(queueId);
    }

    private void unlink(Batch batch, long queueId) {
        Long predecessor = predecessors.remove(queueId);
        if (predecessor != null) {
            successors.remove(predecessor);
            batch.delete(Family.META, Keys.meta('E', queueId));
        }
    }

    /** Whether it goes before another one: nothing else of it counts. */
    public boolean isPredecessor(long queueId) {
        return successors.containsKey(queueId);
    }

    /** The queue that a queue goes before; 0 for none. */
    public long successor(long queueId) {
        return successors.getOrDefault(queueId, 0L);
    }

    /**
     * @return queue id of what goes before it; 0 for nothing
     */
    public long predecessor(long queueId) {
        return predecessors.getOrDefault(queueId, 0L);
    }
}
