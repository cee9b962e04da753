package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;

/**
 * Ids as bytes, the same in the journal, in rows and between nodes.
 *
 * <pre>
 * hybrid id   clock 8 | server 3
 * ingress id  server 3 | start number varint | number varint
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
}
