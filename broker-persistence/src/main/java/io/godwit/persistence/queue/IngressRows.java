package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.store.KeptIngress;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ingress ids that queues remember, on the disk. Most are forgotten within the journal's window and
 * never come here. How many a queue has, and their digest, is known in memory. On the row worker.
 *
 * <pre>
 * 'R' queue id 8 | message id: clock 8, server 3      ingress id
 * </pre>
 */
public final class IngressRows {
    /** What one queue remembers. */
    public static final class OfQueue {
        public long count;
        public final Digest digest = new Digest();
    }

    private final Map<Long, OfQueue> queues = new HashMap<>();

    /** Holds the remembered ids on the disk that an operation in the journal's window deletes. */
    private final Set<RowId> ending = new HashSet<>();

    private final ByteWriter value = new ByteWriter(16);

    /** Counts what there is, but for queues that are being deleted. */
    public void load(DiskView disk) throws DiskFailure {
        long last = 0;
        boolean isPurged = false;
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'R'}, new byte[] {'R' + 1})) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                long queueId = Keys.longAt(key, 1);
                if (queueId != last) {
                    last = queueId;
                    isPurged = disk.get(Family.META, Keys.meta('P', queueId)) != null;
                }
                if (!isPurged) {
                    HybridId id = Keys.rememberedId(key);
                    count(queueId, id.clock(), id.server());
                }
            }
        }
    }

    private void count(long queueId, long clock, int server) {
        OfQueue queue = queues.computeIfAbsent(queueId, any -> new OfQueue());
        queue.count++;
        queue.digest.add(clock, server, Digest.REMEMBERED, 0);
    }

    /** Null of a queue that remembers nothing there. */
    public @Nullable OfQueue find(long queueId) {
        return queues.get(queueId);
    }

    /** Writes what a queue remembers: it leaves the window. */
    void put(Batch batch, Remembered each) {
        if (each.kept != Remembered.NEW) {
            return;
        }
        each.kept = Remembered.ON_DISK;
        value.clear();
        Ids.ingress(value, each.ingressServer, each.ingressCounter);
        byte[] key = Keys.remembered(each.queueId, each.clock, each.server);
        batch.put(Family.META, key, key.length, value.array(), 0, value.length());
        count(each.queueId, each.clock, each.server);
    }

    /**
     * Notes that an operation in the window deletes one. Parts that come again, by another stream,
     * say so again: it is counted once.
     */
    public void ends(Remembered each) {
        if (each.kept == Remembered.ON_DISK) {
            ending.add(new RowId(each.queueId, each.clock, each.server));
        }
    }

    /** Deletes what a queue has forgotten: that it did leaves the window. */
    void delete(Batch batch, Remembered each) {
        OfQueue queue = queues.get(each.queueId);
        ending.remove(new RowId(each.queueId, each.clock, each.server));
        if (each.kept == Remembered.ON_DISK && queue != null) {
            batch.delete(Family.META, Keys.remembered(each.queueId, each.clock, each.server));
            queue.digest.remove(each.clock, each.server, Digest.REMEMBERED, 0);
            if (--queue.count == 0) {
                queues.remove(each.queueId);
            }
        }
        each.kept = Remembered.GONE;
    }

    /** Its session or group is gone; the rows are purged. */
    void gone(long queueId) {
        queues.remove(queueId);
    }

    /**
     * @return null when there is none, or it is to be deleted already
     */
    public @Nullable Remembered find(DiskView disk, long queueId, long clock, int server)
            throws DiskFailure {
        byte[] stored =
                queues.containsKey(queueId) && !ending.contains(new RowId(queueId, clock, server))
                        ? disk.get(Family.META, Keys.remembered(queueId, clock, server))
                        : null;
        if (stored == null) {
            return null;
        }
        ByteReader in = new ByteReader(stored);
        int ingressServer = in.server3();
        Remembered found = new Remembered(queueId, clock, server, ingressServer, Ids.counter(in));
        found.kept = Remembered.ON_DISK;
        return found;
    }

    /** Reads what a queue remembers above one id and up to another. */
    public List<Remembered> range(DiskView disk, long queueId, HybridId above, HybridId upTo)
            throws DiskFailure {
        if (!queues.containsKey(queueId)) {
            return List.of();
        }
        List<Remembered> found = new ArrayList<>();
        byte[] from = Keys.successor(Keys.remembered(queueId, above.clock(), above.server()));
        byte[] end = Keys.after(Keys.meta('R', queueId));
        try (Cursor cursor = disk.scan(Family.META, from, end)) {
            while (cursor.next()) {
                KeptIngress kept = of(cursor.key(), cursor.value());
                if (kept.id().compareTo(upTo) > 0) {
                    break;
                }
                Remembered each =
                        new Remembered(
                                queueId,
                                kept.id().clock(),
                                kept.id().server(),
                                kept.ingress().server(),
                                kept.ingress().counter());
                each.kept = Remembered.ON_DISK;
                found.add(each);
            }
        }
        return found;
    }

    /** One of 'R'. */
    public static KeptIngress of(byte[] key, byte[] stored) {
        return new KeptIngress(Keys.rememberedId(key), Ids.ingress(new ByteReader(stored)));
    }
}
