package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.Receiver;

/**
 * Ids as bytes, the same in the journal, in rows and between nodes.
 *
 * <pre>
 * hybrid id   clock 8 | server 3
 * ingress id  server 3 | start number varint | number varint
 * receiver    queue id 8 | generation (hybrid id) | 2 | client id sized
 *             before there were client ids: 0 or 1 in place of 2, ids: count varint, each varint
 * </pre>
 */
public final class Ids {
    private static final int WITH_CLIENT_ID = 2;

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
        to.u8(WITH_CLIENT_ID).sized(receiver.clientId().bytes());
    }

    public static Receiver receiver(ByteReader from) {
        long queueId = from.long8();
        SessionKey session = new SessionKey(queueId, hybrid(from));
        if (from.u8() == WITH_CLIENT_ID) {
            return new Receiver(session, new ClientId(from.sized()));
        }
        from.ints();
        return new Receiver(session, new ClientId(new byte[0]));
    }
}
