package io.godwit.persistence.queue;

import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;

/**
 * Inbound QoS 2 PUBLISHes in META: those whose PUBREL has not come when they leave the window. Who
 * has got one is not kept here; the queues that have it {@linkplain IngressRows remember} it.
 *
 * <pre>
 * ingress id | taken 1
 * </pre>
 */
public final class Inbounds {
    /** States of {@link Inbound#kept}. */
    static final byte NEW = 0;

    static final byte IN_META = 1;
    static final byte GONE = 2;

    private Inbounds() {}

    /** The one that stands under a key of META. */
    public static Inbound read(byte[] key, byte[] value) {
        ByteReader in = new ByteReader(value);
        IngressId id = Ids.ingress(in);
        int packetId = (key[9] & 0xFF) << 8 | key[10] & 0xFF;
        Inbound inbound = new Inbound(Keys.longAt(key, 1), packetId, id.server(), id.counter());
        inbound.kept = IN_META;
        inbound.taken = in.u8() != 0;
        return inbound;
    }

    /** Tells whether its PUBREL has arrived in the window. */
    public static boolean isGone(Inbound inbound) {
        return inbound.kept == GONE;
    }

    /** Writes an inbound PUBLISH: it leaves the window. */
    static void put(Batch batch, Inbound inbound) {
        if (inbound.kept != GONE) {
            inbound.kept = IN_META;
            write(batch, inbound);
        }
    }

    static void taken(Batch batch, Inbound inbound) {
        if (inbound.kept == IN_META) {
            inbound.taken = true;
            write(batch, inbound);
        }
    }

    static void gone(Batch batch, Inbound inbound) {
        if (inbound.kept == IN_META) {
            batch.delete(Family.META, Keys.inbound(inbound.queueId, inbound.packetId));
        }
        inbound.kept = GONE;
    }

    /** Taken already when the mark that says so only follows: every target has it by then. */
    private static void write(Batch batch, Inbound inbound) {
        batch.put(
                Family.META,
                Keys.inbound(inbound.queueId, inbound.packetId),
                value(new IngressId(inbound.ingressServer, inbound.ingressCounter), inbound.taken));
    }

    public static byte[] value(IngressId ingress, boolean taken) {
        ByteWriter value = new ByteWriter(16);
        Ids.ingress(value, ingress.server(), ingress.counter());
        return value.u8(taken ? 1 : 0).toBytes();
    }
}
