package io.godwit.benchmarks.load.relay;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteWriter;
import io.netty.buffer.ByteBuf;

/**
 * Records that one loop gathered in one turn for one loop of the other node.
 *
 * <pre>
 * loop varint | record ...
 * record      channel*4 + kind varint | OPEN, CLOSE: nothing; DATA: length varint, bytes; WINDOW: bytes taken varint
 * </pre>
 */
final class RelayBatch implements Outgoing {
    static final MessageType TYPE = new MessageType(60_000, TrafficClass.PUBLISHES, "relay");

    static final int OPEN = 0;
    static final int DATA = 1;
    static final int WINDOW = 2;
    static final int CLOSE = 3;

    /** Bytes of the largest batch: a frame between nodes takes it in one piece. */
    private static final int BYTES_MAX = 32 << 10;

    /** Channel, kind and length, at most. */
    private static final int HEAD_BYTES = 16;

    private final int loop;
    private final ByteWriter records;

    RelayBatch(int loop, int capacity) {
        this.loop = loop;
        records = new ByteWriter(Math.min(BYTES_MAX, capacity));
    }

    int loop() {
        return loop;
    }

    /** Writes the records behind their length. */
    void write(ByteBuf to) {
        to.writeInt(records.length()).writeBytes(records.array(), 0, records.length());
    }

    boolean hasRoom(int dataBytes) {
        return records.length() + dataBytes + HEAD_BYTES <= BYTES_MAX;
    }

    void add(int channel, int kind) {
        records.varint((long) channel << 2 | kind);
    }

    void addWindow(int channel, int bytes) {
        add(channel, WINDOW);
        records.varint(bytes);
    }

    /** Adds all that the buffer has. */
    void addData(int channel, ByteBuf data) {
        int length = data.readableBytes();
        add(channel, DATA);
        records.varint(length);
        int at = records.length();
        records.reserve(length);
        data.readBytes(records.array(), at, length);
    }

    @Override
    public MessageType type() {
        return TYPE;
    }

    @Override
    public int bytes() {
        return records.length() + 1;
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        to.varint(loop).range(records.array(), 0, records.length());
    }
}
