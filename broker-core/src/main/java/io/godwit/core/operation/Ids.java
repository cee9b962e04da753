package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.store.Receiver;

/**
 * Ids as bytes, the same in the journal, in rows and between nodes.
 *
 * <pre>
 * hybrid id   clock 8 | server 3
 * ingress id  server 3 | start number varint | number varint
 * receiver    queue id 8 | generation (hybrid id) | retain 1 | ids: count varint, each varint
 * </pre>
 */
public final class Ids {
    private Ids() {}

    public static void hybrid(ByteWriter to, HybridId id) {
        to.long8(id.clock()).server3(id.server());
    }

    public static HybridId hybrid(ByteReader from) {
        long clock = from.long8();
        return new HybridId(clock, from.server3());
    }

    public static void ingress(ByteWriter to, int server, long counter) {
        to.server3(server);
        to.varint(IngressId.start(counter)).varint(IngressId.number(counter));
    }

    /** The counter of an ingress id whose server was read just before. */
    public static long counter(ByteReader from) {
        long start = from.varint();
        return IngressId.counter(start, from.varint());
    }

    public static IngressId ingress(ByteReader from) {
        int server = from.server3();
        return new IngressId(server, counter(from));
    }

    public static void receiver(ByteWriter to, Receiver receiver) {
        to.long8(receiver.session().queueId());
        hybrid(to, receiver.session().generation());
        to.u8(receiver.retain() ? 1 : 0).ints(receiver.ids());
    }

    public static Receiver receiver(ByteReader from) {
        long queueId = from.long8();
        SessionKey session = new SessionKey(queueId, hybrid(from));
        boolean retain = from.u8() != 0;
        return new Receiver(session, retain, from.ints());
    }
}
