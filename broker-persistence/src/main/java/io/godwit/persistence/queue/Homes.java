package io.godwit.persistence.queue;

import io.godwit.core.id.Epoch;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queues that live on another node, and of which this store keeps a copy: under which epoch their
 * home wrote them last. A queue that is not here is this node's own, also after its store was
 * restored under another server id. Changed by the row worker, read by any thread.
 *
 * <pre>
 * 'H' epoch's number varint | its server, the home, 3
 * </pre>
 */
public final class Homes {
    private final Map<Long, Epoch> elsewhere = new ConcurrentHashMap<>();
    private final Set<Long> touched = new HashSet<>();

    /** Reads all of them. */
    public void load(Disk disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'H'}, new byte[] {'H' + 1})) {
            while (cursor.next()) {
                elsewhere.put(Keys.longAt(cursor.key(), 1), epoch(cursor.value()));
            }
        }
    }

    /**
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static Epoch epoch(byte[] value) {
        ByteReader in = new ByteReader(value);
        long number = in.varint();
        return new Epoch(number, in.server3());
    }

    public static byte[] toBytes(Epoch epoch) {
        return new ByteWriter(8).varint(epoch.number()).server3(epoch.server()).toBytes();
    }

    /** Under which epoch its home wrote it last; null when this node is its home. */
    public @Nullable Epoch find(long queueId) {
        return elsewhere.get(queueId);
    }

    public boolean isElsewhere(long queueId) {
        return elsewhere.containsKey(queueId);
    }

    /** How many there are. */
    public int count() {
        return elsewhere.size();
    }

    /** Another home has written it. */
    public void elsewhere(long queueId, Epoch epoch) {
        if (!epoch.equals(elsewhere.put(queueId, epoch))) {
            touched.add(queueId);
        }
    }

    /** This node is its home from now on, or nobody is. */
    void here(long queueId) {
        if (elsewhere.remove(queueId) != null) {
            touched.add(queueId);
        }
    }

    /** Puts what has changed into the batch of this run. */
    void write(Batch batch) {
        for (Long queueId : touched) {
            byte[] key = Keys.meta('H', queueId);
            Epoch epoch = elsewhere.get(queueId);
            if (epoch == null) {
                batch.delete(Family.META, key);
            } else {
                batch.put(Family.META, key, toBytes(epoch));
            }
        }
        touched.clear();
    }
}
