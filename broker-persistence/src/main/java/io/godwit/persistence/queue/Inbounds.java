package io.godwit.persistence.queue;

import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inbound QoS 2 PUBLISHes in META. One that comes into the window without being taken is
 * <i>tracked</i>: the queues that get its message are noted as their appends come, and kept with it
 * when it is written, so that after a restart it goes to the others only. Most are taken before
 * they are seen here, nearly all before they would be written.
 *
 * <p>What is written with a position names the queues whose appends stand up to that position: the
 * journal behind it may be lost, or is replayed.
 *
 * <pre>
 * ingress id | taken 1 | [queue id 8 ...], of those that have got it
 * </pre>
 */
public final class Inbounds {
    /** States of {@link Inbound#kept}. */
    static final byte NEW = 0;

    static final byte IN_META = 1;
    static final byte GONE = 2;

    private static final class Tracked {
        final Inbound inbound;

        /** In the order of the journal. */
        final List<Long> hasIt = new ArrayList<>(1);

        /** Where the append of each of them stands; 0 when that is in META. */
        final List<Long> positions = new ArrayList<>(1);

        /** How many of them are in META; -1 while it is not there. */
        int written = -1;

        boolean touched;

        Tracked(Inbound inbound) {
            this.inbound = inbound;
        }

        void add(long queueId, long position) {
            hasIt.add(queueId);
            positions.add(position);
        }

        /** How many have got it up to this position. */
        int countUpTo(long position) {
            int count = written < 0 ? 0 : written;
            while (count < positions.size() && positions.get(count) <= position) {
                count++;
            }
            return count;
        }
    }

    private final Map<IngressId, Tracked> tracked = new HashMap<>();
    private final List<Tracked> touched = new ArrayList<>();

    /** Reads those that are not taken. */
    public void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'I'}, new byte[] {'I' + 1})) {
            while (cursor.next()) {
                byte[] value = cursor.value();
                long[] hasIt = hasIt(value);
                if (hasIt != null) {
                    Inbound inbound = read(cursor.key(), value);
                    Tracked each = new Tracked(inbound);
                    for (long queueId : hasIt) {
                        each.add(queueId, 0);
                    }
                    each.written = hasIt.length;
                    tracked.put(id(inbound), each);
                }
            }
        }
    }

    /** The one that stands under a key of META; a tracked one is the same object each time. */
    public Inbound find(byte[] key, byte[] value) {
        Inbound inbound = read(key, value);
        Tracked known = tracked.get(id(inbound));
        return known != null ? known.inbound : inbound;
    }

    private static Inbound read(byte[] key, byte[] value) {
        IngressId id = Ids.ingress(new ByteReader(value));
        int packetId = (key[9] & 0xFF) << 8 | key[10] & 0xFF;
        Inbound inbound = new Inbound(Keys.longAt(key, 1), packetId, id.server(), id.counter());
        inbound.kept = IN_META;
        inbound.taken = hasIt(value) == null;
        return inbound;
    }

    /**
     * @return queue ids of those that have got it, or null when it is taken
     */
    public static long @Nullable [] hasIt(byte[] value) {
        ByteReader in = new ByteReader(value);
        Ids.ingress(in);
        if (in.u8() != 0) {
            return null;
        }
        List<Long> queues = new ArrayList<>();
        while (!in.isAtEnd()) {
            queues.add(in.long8());
        }
        return queues.stream().mapToLong(Long::longValue).toArray();
    }

    private static IngressId id(Inbound inbound) {
        return new IngressId(inbound.ingressServer, inbound.ingressCounter);
    }

    boolean tracksAny() {
        return !tracked.isEmpty();
    }

    /** From now on the queues that get it are noted. */
    void track(Inbound inbound) {
        tracked.putIfAbsent(id(inbound), new Tracked(inbound));
    }

    /** It ended before it was written. */
    void forget(Inbound inbound) {
        tracked.remove(id(inbound));
    }

    /**
     * @param queueId 0 for the retained store
     * @param position of the append
     */
    void got(int ingressServer, long ingressCounter, long queueId, long position) {
        if (tracked.isEmpty()) {
            return;
        }
        Tracked found = tracked.get(new IngressId(ingressServer, ingressCounter));
        if (found != null && !found.hasIt.contains(queueId)) {
            found.add(queueId, position);
            if (found.written >= 0) {
                touch(found);
            }
        }
    }

    private void touch(Tracked found) {
        if (!found.touched) {
            found.touched = true;
            touched.add(found);
        }
    }

    void put(Batch batch, Inbound inbound) {
        if (inbound.kept == GONE) {
            return;
        }
        inbound.kept = IN_META;
        Tracked found = tracked.get(id(inbound));
        if (inbound.taken || found == null) {
            write(batch, inbound, null);
        } else {
            touch(found); // Written with the others.
        }
    }

    void taken(Batch batch, Inbound inbound) {
        if (inbound.kept == IN_META && tracked.remove(id(inbound)) != null) {
            inbound.taken = true;
            write(batch, inbound, null);
        }
    }

    void gone(Batch batch, Inbound inbound) {
        tracked.remove(id(inbound));
        if (inbound.kept == IN_META) {
            batch.delete(Family.META, Keys.inbound(inbound.queueId, inbound.packetId));
        }
        inbound.kept = GONE;
    }

    /** The session is gone, and its inbound ones with it. */
    void gone(long queueId) {
        tracked.values()
                .removeIf(each -> each.inbound.queueId == queueId && !each.inbound.isBehindEnd);
    }

    /**
     * Puts what tracked ones have learned into the batch of this run.
     *
     * @param position up to which the run goes
     */
    void write(Batch batch, long position) {
        touched.removeIf(each -> {
            if (tracked.get(id(each.inbound)) != each) {
                each.touched = false; // It has ended in this run.
                return true;
            }
            if (each.inbound.taken) {
                // What says so follows; until then it must not be missing.
                if (each.written < 0) {
                    write(batch, each.inbound, null);
                }
                each.touched = false;
                return true;
            }
            int count = each.countUpTo(position);
            if (count != each.written) {
                each.written = count;
                write(batch, each.inbound, each.hasIt.subList(0, count));
            }
            each.touched = count < each.hasIt.size();
            return !each.touched;
        });
    }

    private static void write(Batch batch, Inbound inbound, @Nullable List<Long> hasIt) {
        ByteWriter value = new ByteWriter(16);
        Ids.ingress(value, inbound.ingressServer, inbound.ingressCounter);
        value.u8(hasIt == null ? 1 : 0);
        if (hasIt != null) {
            hasIt.forEach(value::long8);
        }
        batch.put(Family.META, Keys.inbound(inbound.queueId, inbound.packetId), value.toBytes());
    }
}
