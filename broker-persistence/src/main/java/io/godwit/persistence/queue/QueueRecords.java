package io.godwit.persistence.queue;

import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
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
 * Which queue goes before another one, on the disk, and which copy set a queue is of, which follows
 * from its client id. On the row worker, once loaded.
 *
 * <pre>
 * 'E' queue id 8      queue id of its predecessor 8
 * </pre>
 */
public final class QueueRecords {
    private final QueueHandles handles;

    private final Map<Long, Long> predecessors = new HashMap<>();
    private final Map<Long, Long> successors = new HashMap<>();

    public QueueRecords(QueueHandles handles) {
        this.handles = handles;
    }

    /** Reads all of them; before anything else asks for a queue's handle. */
    public void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'E'}, new byte[] {'E' + 1})) {
            while (cursor.next()) {
                link(Keys.longAt(cursor.key(), 1), Keys.longAt(cursor.value(), 0));
            }
        }
    }

    private void link(long queueId, long predecessorId) {
        predecessors.put(queueId, predecessorId);
        successors.put(predecessorId, queueId);
    }

    /**
     * Puts a queue that was read, and what goes before it, into the copy set of a client id. This
     * node writes under the epochs with which it has adopted them, if it has.
     */
    public void ofClient(long queueId, ClientId clientId, QueueLeaders queueLeaders) {
        place(queueId, handles.copySet(clientId), queueLeaders);
    }

    /** Puts a queue of a shared group that was read, and what goes before it, into its copy set. */
    public void ofGroup(long queueId, QueueLeaders queueLeaders) {
        place(queueId, handles.copySetOfGroups(), queueLeaders);
    }

    private void place(long queueId, int copySet, QueueLeaders queueLeaders) {
        handles.get(queueId, copySet).epoch = queueLeaders.ownEpoch(queueId);
        long before = predecessor(queueId);
        if (before != 0) {
            handles.get(before, copySet).epoch = queueLeaders.ownEpoch(before);
        }
    }

    /** A record of the queue's session or group leaves the window. */
    void put(long queueId) {
        handles.lives(queueId);
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
