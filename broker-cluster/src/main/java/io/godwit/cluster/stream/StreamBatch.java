package io.godwit.cluster.stream;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.KnownNames;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Records of one stream that come together; on its way out it is a {@link LeavingBatch}.
 *
 * <pre>
 * stream varint | answered varint | before varint | count varint | [distance*2 + again varint | record ...]
 * </pre>
 *
 * Each record's position is told as its distance from the one before it; the first one's from
 * {@code before}, which the receiver has to have seen.
 */
final class StreamBatch implements StreamMessage {
    final int stream;

    /** Position up to which the sender has heard the answers. */
    final long answered;

    final long before;
    final long[] positions;
    final boolean[] again;
    final StreamRecord[] records;

    StreamBatch(
            int stream,
            long answered,
            long before,
            long[] positions,
            boolean[] again,
            StreamRecord[] records) {
        this.stream = stream;
        this.answered = answered;
        this.before = before;
        this.positions = positions;
        this.again = again;
        this.records = records;
    }

    @Override
    public int stream() {
        return stream;
    }

    @Override
    public MessageType type() {
        return StreamMessages.batch(stream);
    }

    @Override
    public int bytes() {
        return leaving().bytes();
    }

    @Override
    public void write(ByteWriter to, int protocol) {
        leaving().write(to, protocol);
    }

    private LeavingBatch leaving() {
        LeavingBatch batch = new LeavingBatch(stream, answered, before);
        for (int i = 0; i < records.length; i++) {
            batch.add(positions[i], again[i], records[i], records[i].bytes());
        }
        return batch;
    }

    /**
     * @param names that are known of a stream
     * @throws IndexOutOfBoundsException when it is none
     */
    static StreamBatch read(ByteReader from, IntFunction<@Nullable KnownNames> names) {
        int stream = from.smallInt();
        KnownNames known = names.apply(stream);
        long answered = from.varint();
        long before = from.varint();
        int count = from.size();
        long[] positions = new long[count];
        boolean[] again = new boolean[count];
        StreamRecord[] records = new StreamRecord[count];
        long last = before;
        @Nullable Message message = null;
        for (int i = 0; i < count; i++) {
            long step = from.varint();
            again[i] = (step & 1) != 0;
            last += step >>> 1;
            positions[i] = last;
            records[i] = RecordCodec.read(from, message, known);
            message = RecordCodec.messageOf(records[i], message);
        }
        return new StreamBatch(stream, answered, before, positions, again, records);
    }
}
