package io.godwit.persistence.codec;

import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import org.jspecify.annotations.Nullable;

/**
 * The value of a row in QUEUES; reused from row to row.
 *
 * <pre>
 * row:    flags 1 | [packet id varint] | [member] | [ids: count varint, each varint] | message, or a
 *         reference: ingress id | accounted bytes varint | [expiry varint]
 *         flags: QoS 2 0 | retain 1 | has ids 2 | reference 3 | reference has expiry 4
 *                | has packet id 5 | has member 6 | 7 is 0
 * marker: flags 1 | packet id varint | [member] | ingress id, unless it points to an idle row
 *         | [group's queue id 8]
 *         flags: kind 0-1 (released, in flight with an idle row, lent, lent and released)
 *                | has member 2 | 7 is 1
 * member: queue id 8 | generation 11, of a group's member that it is in flight to
 * </pre>
 */
public final class StoredRow {
    /** PUBREC came. */
    public static final int RELEASED = 0;

    /** The message stands in the idle row of the same id. */
    public static final int IDLE_ROW = 1;

    /** The message stands in a group's queue. */
    public static final int LENT = 2;

    public static final int LENT_RELEASED = 3;

    private static final int[] NO_IDS = new int[0];
    private static final int QOS_2 = 1;
    private static final int RETAIN = 1 << 1;
    private static final int IDS = 1 << 2;
    private static final int REFERENCE = 1 << 3;
    private static final int EXPIRY = 1 << 4;
    private static final int PACKET_ID = 1 << 5;
    private static final int MEMBER = 1 << 6;
    private static final int MARKER = 1 << 7;
    private static final int MARKER_MEMBER = 1 << 2;

    private final ByteReader in = new ByteReader(new byte[0]);
    public boolean isMarker;
    public int kind;
    public long groupQueueId;
    public int packetId;
    public @Nullable SessionKey member;
    public int qos;
    public boolean retain;
    public int[] ids = NO_IDS;
    public boolean isReference;

    /** Ingress id; 0 of a marker that points to an idle row. */
    public int server;

    public long counter;

    /** As {@link io.godwit.core.message.QueuedMessage#bytes}; 64 of markers. */
    public int bytes;

    public long expiresAtMs;
    public @Nullable Message message;

    public void read(byte[] value) {
        in.open(value);
        int flags = in.u8();
        isMarker = (flags & MARKER) != 0;
        groupQueueId = 0;
        ids = NO_IDS;
        isReference = false;
        expiresAtMs = Message.NEVER;
        member = null;
        server = 0;
        counter = 0;
        Message before = message;
        message = null;
        bytes = 64;
        if (isMarker) {
            marker(flags);
            return;
        }
        qos = 1 + (flags & QOS_2);
        retain = (flags & RETAIN) != 0;
        packetId = (flags & PACKET_ID) != 0 ? in.smallInt() : 0;
        if ((flags & MEMBER) != 0) {
            readMember();
        }
        if ((flags & IDS) != 0) {
            ids = in.ints();
        }
        if ((flags & REFERENCE) != 0) {
            isReference = true;
            server = in.server3();
            counter = Ids.counter(in);
            bytes = in.smallInt();
            expiresAtMs = (flags & EXPIRY) != 0 ? in.varint() : Message.NEVER;
            return;
        }
        Message inline = MessageCodec.read(in, before);
        message = inline;
        server = inline.ingressServer;
        counter = inline.ingressCounter;
        bytes = 64 + inline.accountedBytes();
        expiresAtMs = inline.expiresAtMs;
    }

    private void marker(int flags) {
        kind = flags & 3;
        packetId = in.smallInt();
        qos = 2;
        retain = false;
        if ((flags & MARKER_MEMBER) != 0) {
            readMember();
        }
        if (kind == RELEASED) {
            server = in.server3();
            counter = Ids.counter(in);
        }
        groupQueueId = kind >= LENT ? in.long8() : 0;
    }

    private void readMember() {
        long queueId = in.long8();
        member = new SessionKey(queueId, Ids.hybrid(in));
    }

    public static void write(
            ByteWriter to,
            int qos,
            boolean retain,
            int[] ids,
            int packetId,
            @Nullable SessionKey member,
            Message message) {
        head(to, 0, qos, retain, ids, packetId, member);
        MessageCodec.write(to, message);
    }

    public static void writeReference(
            ByteWriter to,
            int qos,
            boolean retain,
            int[] ids,
            int packetId,
            @Nullable SessionKey member,
            int server,
            long counter,
            int bytes,
            long expiresAtMs) {
        boolean expires = expiresAtMs != Message.NEVER;
        head(to, REFERENCE | (expires ? EXPIRY : 0), qos, retain, ids, packetId, member);
        Ids.ingress(to, server, counter);
        to.varint(bytes);
        if (expires) {
            to.varint(expiresAtMs);
        }
    }

    /** A marker that points to its idle row. */
    public static void writeMarker(ByteWriter to, int packetId, @Nullable SessionKey member) {
        marker(to, IDLE_ROW, packetId, member);
    }

    /** All that is left once PUBREC came. */
    public static void writeReleased(
            ByteWriter to, int packetId, @Nullable SessionKey member, int server, long counter) {
        marker(to, RELEASED, packetId, member);
        Ids.ingress(to, server, counter);
    }

    /**
     * @param kind {@link #LENT} or {@link #LENT_RELEASED}
     */
    public static void writeLent(ByteWriter to, int kind, int packetId, long groupQueueId) {
        marker(to, kind, packetId, null);
        to.long8(groupQueueId);
    }

    private static void marker(ByteWriter to, int kind, int packetId, @Nullable SessionKey member) {
        to.u8(MARKER | kind | (member != null ? MARKER_MEMBER : 0)).varint(packetId);
        if (member != null) {
            member(to, member);
        }
    }

    private static void head(
            ByteWriter to,
            int more,
            int qos,
            boolean retain,
            int[] ids,
            int packetId,
            @Nullable SessionKey member) {
        to.u8(
                more
                        | (qos == 2 ? QOS_2 : 0)
                        | (retain ? RETAIN : 0)
                        | (ids.length > 0 ? IDS : 0)
                        | (packetId != 0 ? PACKET_ID : 0)
                        | (member != null ? MEMBER : 0));
        if (packetId != 0) {
            to.varint(packetId);
        }
        if (member != null) {
            member(to, member);
        }
        if (ids.length > 0) {
            to.ints(ids);
        }
    }

    private static void member(ByteWriter to, SessionKey member) {
        to.long8(member.queueId());
        Ids.hybrid(to, member.generation());
    }
}
