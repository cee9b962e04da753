package io.godwit.server.store;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads session records of exports of version 2, whose Godwit moved sessions between nodes. A
 * session that came from other nodes is imported with what had arrived. One that the node had given
 * to another, or set aside, is imported as set aside: kept and exported, but not served, since
 * another node has the session.
 *
 * <pre>
 * protocol level 1 | generation 11 | stamp 11 | epoch varint, home 3 | expiry varint, seconds
 *   | disconnected varint, epoch milliseconds
 *   | will flags 1 | [will] | [owed wills: count varint, each: will flags 1 | will] | [moves]
 * will flags: qos 0-1 | retain 2 | there is one 3 | owed wills follow 4 | moves follow 5
 * will: ingress id | topic sized | payload sized | delay varint, seconds | properties
 * moves: former queueLeaders: count varint, each: server 3 | changes varint | flags 1 | more
 * moves' flags: filling 0 | given or set aside 1 | others
 * </pre>
 */
final class ExportVersion2 {
    static final int VERSION = 2;

    private static final int RETAIN = 1 << 2;
    private static final int WILL = 1 << 3;
    private static final int OWED = 1 << 4;
    private static final int MOVES = 1 << 5;
    private static final int GIVEN = 1 << 1;

    private ExportVersion2() {}

    /**
     * Reads a record.
     *
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    static SessionRecord session(ByteReader from, long queueId) {
        ProtocolVersion version = SessionCodec.version(from.u8());
        HybridId generation = Ids.hybrid(from);
        HybridId stamp = Ids.hybrid(from);
        long epoch = from.varint();
        int server = from.server3();
        long expirySeconds = from.varint();
        long disconnectedAtMs = from.varint();
        int flags = from.u8();
        KeptWill will = (flags & WILL) == 0 ? null : will(from, flags);
        List<KeptWill> owed = new ArrayList<>(0);
        if ((flags & OWED) != 0) {
            for (int left = from.size(); left > 0; left--) {
                owed.add(will(from, from.u8()));
            }
        }
        return new SessionRecord(
                queueId,
                generation,
                stamp,
                new Epoch(epoch, server),
                version,
                expirySeconds,
                disconnectedAtMs,
                will,
                owed,
                (flags & MOVES) != 0 && isAway(from),
                null);
    }

    /** Whether moves say that another node has the session. */
    private static boolean isAway(ByteReader from) {
        for (int left = from.size(); left > 0; left--) {
            from.server3();
            from.varint();
        }
        return (from.u8() & GIVEN) != 0;
    }

    private static KeptWill will(ByteReader from, int flags) {
        IngressId ingress = Ids.ingress(from);
        Topic topic = new Topic(from.sized());
        byte[] payload = from.sized();
        long delaySeconds = from.varint();
        Will will =
                new Will(
                        topic,
                        flags & 3,
                        (flags & RETAIN) != 0,
                        payload,
                        delaySeconds,
                        SessionCodec.properties(from));
        return new KeptWill(will, ingress);
    }
}
