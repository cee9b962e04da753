package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.MessageCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that stand once in PAYLOADS for all rows that refer to them, with their uses counted;
 * only the row thread calls. The latest counts are in memory, the others read when a row comes or
 * goes.
 */
final class Payloads {
    /** A message of so many bytes stands apart even when a single row has it. */
    private static final int LARGE = 4096;

    /** Copies up to here in all cost less than a reference and its count. */
    private static final int TINY = 256;

    private static final int KNOWN_MAX = 16_384;

    private record IngressId(int server, long counter) {}

    private static final class Uses {
        final IngressId id;
        long count;

        /** On the disk. */
        long countBefore;

        boolean touched;

        Uses(IngressId id, long count) {
            this.id = id;
            this.count = count;
            this.countBefore = count;
        }
    }

    private final DiskView disk;
    private final StoreRules rules;
    private final Map<IngressId, Uses> known = new LinkedHashMap<>(64, 0.75f, true);
    private final List<Uses> touched = new ArrayList<>();

    /** Payloads written since it was asked last. */
    private int brought;

    private final ByteWriter value = new ByteWriter(1024);

    Payloads(DiskView disk, StoreRules rules) {
        this.disk = disk;
        this.rules = rules;
    }

    /**
     * Whether a row of this message shall refer to it.
     *
     * @param rows of this run that have it
     */
    boolean standsApart(Message message, int rows) {
        int length = MessageCodec.length(message);
        if (length > LARGE || rows > 1 && (long) length * rows > TINY) {
            return true;
        }
        if (known.isEmpty()) {
            return false;
        }
        Uses uses = known.get(new IngressId(message.ingressServer, message.ingressCounter));
        return uses != null && uses.count > 0;
    }

    /** A row refers to it; the first one brings it. */
    void use(Batch batch, int server, long counter, @Nullable Message message) throws DiskFailure {
        Uses uses = touch(server, counter);
        if (uses.count++ == 0) {
            brought++;
            if (message == null) {
                throw new IllegalStateException("payload " + server + ":" + counter + " is gone");
            }
            value.clear();
            MessageCodec.write(value, message);
            batch.put(
                    Family.PAYLOADS,
                    Keys.payload(server, counter),
                    12,
                    value.array(),
                    0,
                    value.length());
            value.clear(); // At once, since a long one is given up.
        }
    }

    /** Whether a row refers to it, as far as is counted. */
    boolean isUsed(int server, long counter) throws DiskFailure {
        Uses uses = known.get(new IngressId(server, counter));
        return uses != null
                ? uses.count > 0
                : disk.get(Family.META, Keys.uses(server, counter)) != null;
    }

    int takeBrought() {
        int count = brought;
        brought = 0;
        return count;
    }

    /** A row that referred to it is gone. */
    void release(int server, long counter) throws DiskFailure {
        touch(server, counter).count--;
    }

    private Uses touch(int server, long counter) throws DiskFailure {
        IngressId id = new IngressId(server, counter);
        Uses uses = known.get(id);
        if (uses == null) {
            byte[] stored = disk.get(Family.META, Keys.uses(server, counter));
            uses = new Uses(id, stored == null ? 0 : new ByteReader(stored).varint());
            known.put(id, uses);
        }
        if (!uses.touched) {
            uses.touched = true;
            touched.add(uses);
        }
        return uses;
    }

    /** Puts counts and last removals of this run into its batch, and tells of what goes. */
    void write(Batch batch, RowProgress progress) {
        int gone = 0;
        byte[] least = new byte[0];
        byte[] most = least;
        for (Uses uses : touched) {
            uses.touched = false;
            byte[] key = Keys.uses(uses.id.server, uses.id.counter);
            boolean last = uses.count <= 0;
            if (last) {
                batch.delete(Family.META, key);
                known.remove(uses.id);
            } else {
                value.clear();
                batch.put(Family.META, key, value.varint(uses.count).toBytes());
            }
            if (last
                    || !rules.holds(StoreRule.PAYLOAD_UNTIL_LAST_USE)
                            && uses.count < uses.countBefore) {
                byte[] payload = Keys.payload(uses.id.server, uses.id.counter);
                batch.delete(Family.PAYLOADS, payload);
                least = gone == 0 || Arrays.compareUnsigned(payload, least) < 0 ? payload : least;
                most = Arrays.compareUnsigned(payload, most) > 0 ? payload : most;
                gone++;
            }
            uses.countBefore = uses.count;
        }
        touched.clear();
        while (known.size() > KNOWN_MAX) {
            known.remove(known.keySet().iterator().next());
        }
        if (gone > 0) {
            progress.payloadsGone(gone, new KeyRange(least, Keys.successor(most)));
        }
    }
}
