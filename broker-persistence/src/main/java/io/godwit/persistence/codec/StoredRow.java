package io.godwit.persistence.codec;

import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * The value of a row in QUEUES; reused from row to row.
 *
 * <pre>
 * row:    flags 1 | [packet id varint] | [ids: count varint, each varint] | message, or a reference:
 *         ingress id | accounted bytes varint | [expiry varint]
 *         flags: QoS 2 0 | retain 1 | has ids 2 | reference 3 | reference has expiry 4
 *                | has packet id 5 | 7 is 0
 * marker: flags 1 | packet id varint | what its kind has
 *         flags: kind 0-1 | 7 is 1
 *         released               ingress id
 *         in flight              nothing: the idle row of the same id has the message
 *         in flight to a member  receiver, and such an idle row
 *         got of a group         ingress id
 * </pre>
 */
public final class StoredRow {
    /** PUBREC came. */
    public static final int RELEASED = 0;

    /** The message stands in the idle row of the same id. */
    public static final int IDLE_ROW = 1;

    /**
     * A group's entry is in flight to a member; its message stands in the idle row of the same id.
     */
    public static final int TO_MEMBER = 2;

    /**
     * The session has got an entry of a group, and PUBCOMP is missing: the marker stands in its
     * queue.
     */
    public static final int GOT = 3;

    private static final int[] NO_IDS = new int[0];
    private static final int QOS_2 = 1;
    private static final int RETAIN = 1 << 1;
    private static final int IDS = 1 << 2;
    private static final int REFERENCE = 1 << 3;
    private static final int EXPIRY = 1 << 4;
    private static final int PACKET_ID = 1 << 5;
    private static final int MARKER = 1 << 7;

    private final ByteReader in = new ByteReader(new byte[0]);
    public boolean isMarker;
    public int kind;

    /** The member that a marker {@link #TO_MEMBER} names; null for all other rows. */
    public @Nullable Receiver receiver;

    public int packetId;
    public int qos;
    public boolean retain;
    public int[] ids = NO_IDS;
    public boolean isReference;

    /** Ingress id; 0 of a marker that points to an idle row. */
    public int server;

    public long counter;

    /**
     * What {@link io.godwit.core.message.QueuedMessage#bytes} says of the entry; 64 for a marker.
     */
    public int bytes;

    public long expiresAtMs;
    public @Nullable Message message;

    public void read(byte[] value) {
        read(value, value.length);
    }

    /** Reads a value from the front of an array, of which nothing is kept. */
    public void read(byte[] value, int length) {
        in.open(value, 0, length);
        int flags = in.u8();
        isMarker = (flags & MARKER) != 0;
        receiver = null;
        ids = NO_IDS;
        isReference = false;
        expiresAtMs = Message.NEVER;
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
        if (kind == TO_MEMBER) {
            receiver = Ids.receiver(in);
        } else if (kind != IDLE_ROW) {
            server = in.server3();
            counter = Ids.counter(in);
        }
    }

    public static void write(
            ByteWriter to, int qos, boolean retain, int[] ids, int packetId, Message message) {
        head(to, 0, qos, retain, ids, packetId);
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
        head(to, REFERENCE | (expires ? EXPIRY : 0), qos, retain, ids, packetId);
        Ids.ingress(to, server, counter);
        to.varint(bytes);
        if (expires) {
            to.varint(expiresAtMs);
        }
    }

    /** A marker that points to its idle row. */
    public static void writeMarker(ByteWriter to, int packetId) {
        to.u8(MARKER | IDLE_ROW).varint(packetId);
    }

    /** Makes a marker of a group's entry that is in flight to a member. */
    public static void writeToMember(ByteWriter to, int packetId, Receiver receiver) {
        to.u8(MARKER | TO_MEMBER).varint(packetId);
        Ids.receiver(to, receiver);
    }

    /** All that is left once PUBREC came. */
    public static void writeReleased(ByteWriter to, int packetId, int server, long counter) {
        to.u8(MARKER | RELEASED).varint(packetId);
        Ids.ingress(to, server, counter);
    }

    /** Makes a marker in a session's queue: the session has got a group's entry. */
    public static void writeGot(ByteWriter to, int packetId, int server, long counter) {
        to.u8(MARKER | GOT).varint(packetId);
        Ids.ingress(to, server, counter);
    }

    /** Whether the message of this marker stands in the idle row of the same id. */
    public boolean hasIdleRow() {
        return isMarker && (kind == IDLE_ROW || kind == TO_MEMBER);
    }

    private static void head(
            ByteWriter to, int more, int qos, boolean retain, int[] ids, int packetId) {
        to.u8(
                more
                        | (qos == 2 ? QOS_2 : 0)
                        | (retain ? RETAIN : 0)
                        | (ids.length > 0 ? IDS : 0)
                        | (packetId != 0 ? PACKET_ID : 0));
        if (packetId != 0) {
            to.varint(packetId);
        }
        if (ids.length > 0) {
            to.ints(ids);
        }
    }
}
