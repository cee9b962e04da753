package io.godwit.persistence.codec;

import io.godwit.core.message.Message;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * The value of a row in QUEUES; reused from row to row.
 *
 * <pre>
 * row:    flags 1 | [packet id varint] | [ids: count varint, each varint] | message, or a reference:
 *         ingress server varint | counter varint | accounted bytes varint | [expiry varint]
 *         flags: qos 0-1 | retain 2 | has ids 3 | reference 4 | reference has expiry 5
 *                | has packet id 6 | 7 is 0
 * marker: flags 1 | packet id varint
 *         flags: kind 0-1 (released, in flight, in flight to a member, got by a member) | 7 is 1
 *         in flight to a member: queue id 8 | generation 8 | retain 1 | ids
 *         got by a member: ingress server varint | counter varint
 * </pre>
 */
public final class StoredRow {
    /** PUBREC came. */
    public static final int RELEASED = 0;

    /** The message stands in the idle row of the same id. */
    public static final int IDLE_ROW = 1;

    /** The same, of a group's entry: in flight to a member. */
    public static final int TO_MEMBER = 2;

    /** In a session's queue: it has got an entry of a group, and PUBCOMP is missing. */
    public static final int GOT = 3;

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

    /** Of a marker {@link #TO_MEMBER}; else null. */
    public @Nullable Receiver receiver;

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
        receiver = null;
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
            if (kind == TO_MEMBER) {
                receiver = receiver(in);
            } else if (kind == GOT) {
                server = in.smallInt();
                counter = in.varint();
            }
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

    /**
     * @param kind {@link #RELEASED} or {@link #IDLE_ROW}
     */
    public static void writeMarker(ByteWriter to, int kind, int packetId) {
        to.u8(MARKER | kind).varint(packetId);
    }

    public static void writeToMember(ByteWriter to, int packetId, Receiver receiver) {
        to.u8(MARKER | TO_MEMBER).varint(packetId);
        writeReceiver(to, receiver);
    }

    public static void writeGot(ByteWriter to, int packetId, int server, long counter) {
        to.u8(MARKER | GOT).varint(packetId).varint(server).varint(counter);
    }

    public static void writeReceiver(ByteWriter to, Receiver receiver) {
        to.long8(receiver.queueId()).long8(receiver.generation());
        to.u8(receiver.retain() ? 1 : 0).ints(receiver.ids());
    }

    public static Receiver receiver(ByteReader in) {
        long queueId = in.long8();
        long generation = in.long8();
        boolean retain = in.u8() != 0;
        return new Receiver(queueId, generation, retain, in.ints());
    }

    /** Whether the message of this marker stands in the idle row of the same id. */
    public boolean hasIdleRow() {
        return isMarker && (kind == IDLE_ROW || kind == TO_MEMBER);
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
