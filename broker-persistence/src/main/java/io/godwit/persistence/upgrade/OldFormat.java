package io.godwit.persistence.upgrade;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.inspect.StoreItem;
import java.util.List;

/** Values as format 1 wrote them. */
final class OldFormat {
    static final int VERSION = 1;

    private static final int LENT = 2;
    private static final int LENT_RELEASED = 3;
    private static final int[] NO_IDS = new int[0];

    private OldFormat() {}

    /** The server that gave a queue its id gave its messages theirs. */
    static int server(long queueId) {
        return (int) (queueId >>> 40);
    }

    static HybridId id(long queueId, long clock) {
        return new HybridId(clock, server(queueId));
    }

    /**
     * <pre>
     * flags 1 | server varint | counter varint | topic sized | [expiry varint] | [properties sized]
     *   | payload sized
     * flags: qos 0-1 | retain 2 | has expiry 3 | has properties 4
     * </pre>
     */
    static Message message(ByteReader in) {
        int flags = in.u8();
        int server = in.smallInt();
        long counter = in.varint();
        Topic topic = new Topic(in.sized());
        long expiresAtMs = (flags & 1 << 3) != 0 ? in.varint() : Message.NEVER;
        byte[] properties = (flags & 1 << 4) != 0 ? in.sized() : PublishFrame.NO_PROPERTIES;
        return new Message(
                topic,
                in.sized(),
                properties,
                flags & 3,
                (flags & 1 << 2) != 0,
                expiresAtMs,
                null,
                server,
                counter);
    }

    /**
     * <pre>
     * protocol level 1 | generation 8 | expiry varint | disconnected varint | will flags 1
     *   | [topic sized | payload sized | delay varint | properties]
     * will flags: qos 0-1 | retain 2 | there is one 3
     * </pre>
     */
    static SessionRecord session(ByteReader in, long queueId) {
        ProtocolVersion version = SessionCodec.version(in.u8());
        int server = server(queueId);
        HybridId generation = new HybridId(in.long8(), server);
        long expirySeconds = in.varint();
        long disconnectedAtMs = in.varint();
        int flags = in.u8();
        KeptWill kept = null;
        if ((flags & 1 << 3) != 0) {
            Topic topic = new Topic(in.sized());
            byte[] payload = in.sized();
            long delaySeconds = in.varint();
            Properties properties = SessionCodec.properties(in);
            boolean retain = (flags & 1 << 2) != 0;
            Will will = new Will(topic, flags & 3, retain, payload, delaySeconds, properties);
            // It was not given an ingress id at CONNECT; start 0 is none that a node has.
            kept = new KeptWill(will, new IngressId(server, IngressId.counter(0, queueId)));
        }
        HybridId disconnect = new HybridId(disconnectedAtMs << 16, server);
        return new SessionRecord(
                queueId,
                generation,
                disconnect.compareTo(generation) > 0 ? disconnect : generation,
                new Epoch(0, server),
                version,
                expirySeconds,
                disconnectedAtMs,
                kept,
                List.of());
    }

    /**
     * Whether a row of a member's queue says that it has an entry of a group, and no PUBREC came.
     */
    static boolean isLoan(byte[] value) {
        return (value[0] & 0xFF) == (1 << 7 | LENT);
    }

    static OldLoans.Loan loan(long queueId, long clock, byte[] value) {
        ByteReader in = new ByteReader(value);
        in.u8();
        int packetId = in.smallInt();
        return new OldLoans.Loan(queueId, in.long8(), clock, packetId);
    }

    /**
     * A row that is no {@linkplain #isLoan loan}.
     *
     * <pre>
     * row:    flags 1 | [packet id varint] | [ids] | message, or server varint | counter varint
     *         | accounted bytes varint | [expiry varint]
     *         flags: qos 0-1 | retain 2 | has ids 3 | reference 4 | expiry 5 | packet id 6 | 7 is 0
     * marker: flags 1 | packet id varint | [group's queue id 8]
     *         flags: kind 0-1 (released, in flight with an idle row, lent, lent and released)
     *                | 7 is 1
     * </pre>
     */
    static StoreItem row(long queueId, long clock, boolean isIdle, byte[] value) {
        ByteReader in = new ByteReader(value);
        int flags = in.u8();
        HybridId id = id(queueId, clock);
        if ((flags & 1 << 7) != 0) {
            int kind = (flags & 3) == LENT_RELEASED ? StoredRow.GOT : flags & 3;
            int packetId = in.smallInt();
            return new StoreItem.Marker(queueId, id, kind, packetId, null, new IngressId(0, 0));
        }
        int packetId = (flags & 1 << 6) != 0 ? in.smallInt() : 0;
        int[] ids = (flags & 1 << 3) != 0 ? in.ints() : NO_IDS;
        StoreItem.Body body;
        if ((flags & 1 << 4) != 0) {
            int server = in.smallInt();
            long counter = in.varint();
            int bytes = in.smallInt();
            long expiresAtMs = (flags & 1 << 5) != 0 ? in.varint() : Message.NEVER;
            body = new StoreItem.Body.Shared(server, counter, bytes, expiresAtMs);
        } else {
            body = new StoreItem.Body.Own(message(in));
        }
        boolean retain = (flags & 1 << 2) != 0;
        return new StoreItem.Queued(queueId, id, isIdle, flags & 3, retain, ids, packetId, body);
    }
}
