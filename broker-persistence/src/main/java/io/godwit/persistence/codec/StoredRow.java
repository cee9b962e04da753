package io.godwit.persistence.codec;

import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * The value of a row in QUEUES; reused from row to row.
 *
 * <pre>
 * row:    flags 1 | [packet id varint] | [ids: count varint, each varint] | message, or a reference:
 *         ingress server varint | counter varint | accounted bytes varint | [expiry varint]
 *         flags: qos 0-1 | retain 2 | has ids 3 | reference 4 | reference has expiry 5
 *                | has packet id 6 | 7 is 0
 * marker: flags 1 | packet id varint | [group's queue id 8]
 *         flags: kind 0-1 (released, in flight with an idle row, lent, lent and released) | 7 is 1
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
    private static final int RETAIN = 1 << 2;
    private static final int IDS = 1 << 3;
    private static final int REFERENCE = 1 << 4;
    private static final int EXPIRY = 1 << 5;
    private static final int PACKET_ID = 1 << 6;
    private static final int MARKER = 1 << 7;

    private final ByteReader in = new ByteReader(new byte[0]);

    public boolean isMarker;
    public int kind;
    public long groupQueueId;
    public int packetId;
    public int qos;
    public boolean retain;
    public int[] ids = NO_IDS;
    public boolean isReference;
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
        Message before = message;
        message = null;
        bytes = 64;
        if (isMarker) {
            kind = flags & 3;
            packetId = in.smallInt();
            qos = 2;
            retain = false;
            groupQueueId = kind >= LENT ? in.long8() : 0;
            return;
        }
        qos = flags & 3;
        retain = (flags & RETAIN) != 0;
        packetId = (flags & PACKET_ID) != 0 ? in.smallInt() : 0;
        if ((flags & IDS) != 0) {
            ids = in.ints();
        }
        if ((flags & REFERENCE) != 0) {
            isReference = true;
            server = in.smallInt();
            counter = in.varint();
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

    public static void write(
            ByteWriter to, int qos, boolean retain, int[] ids, int packetId, Message message) {
        to.u8(head(qos, retain, ids, packetId));
        tail(to, ids, packetId);
        MessageCodec.write(to, message);
    }

    public static void writeReference(
            ByteWriter to,
            int qos,
            boolean retain,
            int[] ids,
            int packetId,
            int server,
            long counter,
            int bytes,
            long expiresAtMs) {
        boolean expires = expiresAtMs != Message.NEVER;
        to.u8(head(qos, retain, ids, packetId) | REFERENCE | (expires ? EXPIRY : 0));
        tail(to, ids, packetId);
        to.varint(server).varint(counter).varint(bytes);
        if (expires) {
            to.varint(expiresAtMs);
        }
    }

    public static void writeMarker(ByteWriter to, int kind, int packetId, long groupQueueId) {
        to.u8(MARKER | kind).varint(packetId);
        if (kind >= LENT) {
            to.long8(groupQueueId);
        }
    }

    private static int head(int qos, boolean retain, int[] ids, int packetId) {
        return qos
                | (retain ? RETAIN : 0)
                | (ids.length > 0 ? IDS : 0)
                | (packetId != 0 ? PACKET_ID : 0);
    }

    private static void tail(ByteWriter to, int[] ids, int packetId) {
        if (packetId != 0) {
            to.varint(packetId);
        }
        if (ids.length > 0) {
            to.ints(ids);
        }
    }
}
