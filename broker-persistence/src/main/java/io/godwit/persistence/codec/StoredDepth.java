package io.godwit.persistence.codec;

import io.godwit.core.message.Digest;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * What is stored of a queue beside its rows: the counts of them.
 *
 * <pre>
 * kind 1 | idle varint | idle bytes varint | in flight varint | last clock 8, server 3
 *   | last clock - first varint | digest 16
 * </pre>
 *
 * @param inFlight rows and markers under in-flight
 * @param lastClock highest message id that the queue ever had, with its server
 * @param first a clock below that of every idle row
 * @param digest of all rows
 */
public record StoredDepth(
        QueueHandle.Kind kind,
        long idle,
        long idleBytes,
        int inFlight,
        long lastClock,
        int lastServer,
        long first,
        Digest digest) {
    /**
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static StoredDepth of(byte[] value) {
        ByteReader in = new ByteReader(value);
        QueueHandle.Kind kind = QueueHandle.Kind.of(in.u8());
        long idle = in.varint();
        long idleBytes = in.varint();
        int inFlight = in.smallInt();
        long last = in.long8();
        int server = in.server3();
        long first = last - in.varint();
        long high = in.long8();
        return new StoredDepth(
                kind, idle, idleBytes, inFlight, last, server, first, new Digest(high, in.long8()));
    }

    public byte[] toBytes() {
        return new ByteWriter(48)
                .u8(kind.code())
                .varint(idle)
                .varint(idleBytes)
                .varint(inFlight)
                .long8(lastClock)
                .server3(lastServer)
                .varint(lastClock - first)
                .long8(digest.high())
                .long8(digest.low())
                .toBytes();
    }
}
