package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreDamage;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what queues leave whose session or group is gone: rows, then subscriptions, coverage and
 * the depth. Slice by slice, each of which leaves a state from which a restart goes on.
 */
public final class Purge {
    private static final int SLICE = 1000;

    /** Queues that could not be read and are tried again at once. */
    private static final int AGAIN = 16;

    private final DiskView disk;
    private final Depths depths;
    private final Payloads payloads;
    private final QueueLeaders queueLeaders;
    private final QueueRecords records;
    private final StoreDamage damage;
    private final Queue<Long> due = new ArrayDeque<>();

    /** What could not be read. */
    private final Queue<Long> damaged = new ArrayDeque<>();

    private final Set<Long> known = new HashSet<>();
    private final StoredRow row = new StoredRow();

    /** The last row deleted of the first queue that is due. */
    private byte @Nullable [] resume;

    /** The same of what else is kept of it. */
    private byte @Nullable [] resumeMeta;

    Purge(
            DiskView disk,
            Depths depths,
            Payloads payloads,
            QueueLeaders queueLeaders,
            QueueRecords records,
            StoreDamage damage) {
        this.damage = damage;
        this.records = records;
        this.queueLeaders = queueLeaders;
        this.disk = disk;
        this.depths = depths;
        this.payloads = payloads;
    }

    /** Finds what an earlier start has left. */
    public void load() throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'P'}, new byte[] {'P' + 1})) {
            while (cursor.next()) {
                add(Keys.longAt(cursor.key(), 1));
            }
        }
    }

    public boolean isKnown(long queueId) {
        return known.contains(queueId);
    }

    /** Queues that are being deleted. */
    public Set<Long> all() {
        return Set.copyOf(known);
    }

    public void add(long queueId) {
        if (known.add(queueId)) {
            due.add(queueId);
        }
    }

    /**
     * Deletes what its session has taken in and not been released of: at once, since a record under
     * the same queue id, made for a will that is still owed, keeps one of its own.
     */
    void inbound(Batch batch, long queueId) throws DiskFailure {
        byte[] prefix = Keys.meta('I', queueId);
        try (Cursor cursor = disk.scan(Family.META, prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                batch.delete(Family.META, cursor.key());
            }
        }
    }

    /**
     * Has some of what could not be read tried again.
     *
     * @return whether there is any
     */
    public boolean tryAgain() {
        for (int i = 0; i < AGAIN && !damaged.isEmpty(); i++) {
            due.add(damaged.remove());
        }
        return !due.isEmpty();
    }

    boolean isDue() {
        return !due.isEmpty();
    }

    /**
     * Deletes some.
     *
     * @return rows deleted
     */
    int slice(Batch batch) throws DiskFailure {
        int budget = SLICE;
        int rows = 0;
        for (Long queueId = due.peek(); queueId != null && budget > 0; queueId = due.peek()) {
            Depth depth = depths.find(queueId);
            int deleted;
            try {
                deleted = depth == null ? 0 : rows(batch, depth, budget);
            } catch (Unreadable e) {
                damage.ofQueue(queueId, e);
                damaged.add(due.remove()); // Tried again now and then; set-aside ends it.
                nextQueue();
                continue;
            }
            rows += deleted;
            deleted += prefix(batch, Keys.meta('B', queueId), budget - deleted);
            deleted += prefix(batch, Keys.meta('R', queueId), budget - deleted);
            budget -= Math.max(1, deleted);
            if (budget > 0) {
                end(batch, queueId, depth);
            }
        }
        return rows;
    }

    private void end(Batch batch, long queueId, @Nullable Depth depth) throws DiskFailure {
        if (depth != null) {
            depths.touch(queueId).isGone = true;
        }
        deleted(batch, queueId);
        if (!hasRecord('S', queueId) && !hasRecord('G', queueId)) {
            queueLeaders.remove(queueId);
            records.ended(queueId);
        }
    }

    /** All that the queue had is deleted, in this batch or before. */
    private void deleted(Batch batch, long queueId) {
        batch.delete(Family.META, Keys.meta('P', queueId));
        batch.delete(Family.META, Keys.meta('Q', queueId));
        due.remove(queueId);
        known.remove(queueId);
        nextQueue();
    }

    /**
     * Deletes all that is left of a queue whose session or group is put again under the same queue
     * id: later it could not be told from what comes now.
     *
     * @return rows deleted
     */
    int finish(Batch batch, long queueId) throws DiskFailure {
        Depth depth = depths.find(queueId);
        nextQueue(); // Another queue may be under way: it begins again.
        int rows;
        try {
            rows = depth == null ? 0 : rows(batch, depth, Integer.MAX_VALUE);
        } catch (Unreadable e) {
            damage.ofQueue(queueId, e);
            nextQueue();
            return 0;
        }
        prefix(batch, Keys.meta('B', queueId), Integer.MAX_VALUE);
        prefix(batch, Keys.meta('R', queueId), Integer.MAX_VALUE);
        depths.begin(queueId);
        deleted(batch, queueId);
        damaged.remove(queueId);
        return rows;
    }

    private void nextQueue() {
        resume = null;
        resumeMeta = null;
    }

    /** One under the queue's id again: of a session that owes a will, or has become durable. */
    private boolean hasRecord(char kind, long queueId) throws DiskFailure {
        return disk.get(Family.META, Keys.meta(kind, queueId)) != null;
    }

    private int rows(Batch batch, Depth depth, int budget) throws DiskFailure {
        long queueId = depth.queueId;
        int deleted = 0;
        byte[] from = resume == null ? Keys.rowsStart(queueId) : resume;
        try (Cursor cursor = disk.scan(Family.QUEUES, from, Keys.rowsEnd(queueId, Keys.IDLE))) {
            while (deleted < budget && cursor.next()) {
                byte[] key = cursor.key();
                row.read(cursor.value());
                batch.delete(Family.QUEUES, key);
                depth.deleted(1);
                deleted++;
                if (row.isReference) {
                    payloads.release(row.server, row.counter);
                }
                if (key[8] == Keys.IDLE && row.expiresAtMs != Message.NEVER) {
                    batch.delete(
                            Family.EXPIRY,
                            Keys.expiry(
                                    row.expiresAtMs,
                                    queueId,
                                    Keys.rowClock(key),
                                    Keys.rowServer(key)));
                }
                // Not from the start again, over what the slices before have deleted.
                resume = key;
            }
        }
        return deleted;
    }

    /** Not from the start again, as with rows. */
    private int prefix(Batch batch, byte[] prefix, int budget) throws DiskFailure {
        if (budget <= 0) {
            return 0;
        }
        byte[] last = resumeMeta;
        byte[] from = last != null && startsWith(last, prefix) ? last : prefix;
        int deleted = 0;
        try (Cursor cursor = disk.scan(Family.META, from, Keys.after(prefix))) {
            while (deleted < budget && cursor.next()) {
                resumeMeta = cursor.key();
                batch.delete(Family.META, resumeMeta);
                deleted++;
            }
        }
        return deleted;
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return Arrays.equals(key, 0, Math.min(key.length, prefix.length), prefix, 0, prefix.length);
    }
}
