package io.godwit.persistence.queue;

import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inbound QoS 2 PUBLISHes in META. One that is there without being taken is <i>tracked</i>: the
 * queues that get its message are kept with it, so that after a restart it goes to the others only.
 * Only a replay makes such ones, and a window that had to end too early.
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
        final List<Long> hasIt;
        boolean touched;

        Tracked(Inbound inbound, List<Long> hasIt) {
            this.inbound = inbound;
            this.hasIt = hasIt;
        }
    }

    private final Map<IngressId, Tracked> tracked = new HashMap<>();
    private final List<Tracked> touched = new ArrayList<>();

    /** Reads those that are not taken. */
    public void load(Disk disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'I'}, new byte[] {'I' + 1})) {
            while (cursor.next()) {
                byte[] value = cursor.value();
                long[] hasIt = hasIt(value);
                if (hasIt != null) {
                    List<Long> list = new ArrayList<>();
                    for (long queueId : hasIt) {
                        list.add(queueId);
                    }
                    Inbound inbound = read(cursor.key(), value);
                    tracked.put(id(inbound), new Tracked(inbound, list));
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

    boolean tracks(Inbound inbound) {
        return !tracked.isEmpty() && tracked.containsKey(id(inbound));
    }

    /** From now on the queues that get it are noted. */
    void track(Inbound inbound) {
        tracked.putIfAbsent(id(inbound), new Tracked(inbound, new ArrayList<>()));
    }

    /**
     * @param queueId 0 for the retained store
     */
    void got(int ingressServer, long ingressCounter, long queueId) {
        if (tracked.isEmpty()) {
            return;
        }
        Tracked found = tracked.get(new IngressId(ingressServer, ingressCounter));
        if (found != null && !found.hasIt.contains(queueId)) {
            found.hasIt.add(queueId);
            touch(found);
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
        write(batch, inbound, inbound.taken || found == null ? null : found.hasIt);
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

    /** Puts what tracked ones have learned into the batch of this run. */
    void write(Batch batch) {
        for (Tracked each : touched) {
            each.touched = false;
            Inbound inbound = each.inbound;
            if (inbound.kept == IN_META && tracked.get(id(inbound)) == each) {
                write(batch, inbound, each.hasIt);
            }
        }
        touched.clear();
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
