package io.godwit.persistence.queue;

import io.godwit.core.id.Epoch;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queues that live on another node, and of which this store keeps a copy, and those that came from
 * another one: under which epoch their home wrote them last. A queue that is not here has always
 * been this node's own, also after its store was restored under another server id. Changed by the
 * row worker, read by any thread.
 *
 * <pre>
 * 'H' epoch's number varint | its server, the home, 3 | this node 1
 * </pre>
 */
public final class Homes {
    /**
     * @param isHere the home is this node
     */
    public record Home(Epoch epoch, boolean isHere) {
        /**
         * @throws IndexOutOfBoundsException when these bytes are none
         */
        public static Home of(byte[] value) {
            ByteReader in = new ByteReader(value);
            long number = in.varint();
            return new Home(new Epoch(number, in.server3()), in.u8() != 0);
        }

        public byte[] toBytes() {
            return new ByteWriter(8)
                    .varint(epoch.number())
                    .server3(epoch.server())
                    .u8(isHere ? 1 : 0)
                    .toBytes();
        }
    }

    private final Map<Long, Home> homes = new ConcurrentHashMap<>();
    private final Set<Long> touched = new HashSet<>();

    /** How many of them are elsewhere. */
    private volatile int count;

    /** Reads all of them. */
    public void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'H'}, new byte[] {'H' + 1})) {
            while (cursor.next()) {
                set(Keys.longAt(cursor.key(), 1), Home.of(cursor.value()));
            }
        }
    }

    public boolean isElsewhere(long queueId) {
        Home home = homes.get(queueId);
        return home != null && !home.isHere;
    }

    /** How many queues live elsewhere. */
    public int count() {
        return count;
    }

    /**
     * Another home has written it.
     *
     * @return false when a later epoch is known: what it wrote does not count
     */
    public boolean elsewhere(long queueId, Epoch epoch) {
        Home known = homes.get(queueId);
        if (known != null && epoch.compareTo(known.epoch) < 0) {
            return false;
        }
        if (known == null || known.isHere || !epoch.equals(known.epoch)) {
            set(queueId, new Home(epoch, false));
            touched.add(queueId);
        }
        return true;
    }

    /** This node is its home from now on. */
    void here(long queueId, Epoch epoch) {
        set(queueId, new Home(epoch, true));
        touched.add(queueId);
    }

    /** Nobody is. */
    void gone(long queueId) {
        if (homes.containsKey(queueId)) {
            set(queueId, null);
            touched.add(queueId);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void set(long queueId, @Nullable Home home) {
        Home before = home == null ? homes.remove(queueId) : homes.put(queueId, home);
        count = count + (home != null && !home.isHere ? 1 : 0);
        count = count - (before != null && !before.isHere ? 1 : 0);
    }

    /** Puts what has changed into the batch of this run. */
    void write(Batch batch) {
        for (Long queueId : touched) {
            byte[] key = Keys.meta('H', queueId);
            Home home = homes.get(queueId);
            if (home == null) {
                batch.delete(Family.META, key);
            } else {
                batch.put(Family.META, key, home.toBytes());
            }
        }
        touched.clear();
    }
}
