package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Counts what one publisher sent it, by the sequence number in the payload, and acknowledges QoS 1:
 * all PUBACKs of one read leave in one write.
 *
 * <p>The payload begins with the time of sending (8 bytes, {@link System#nanoTime}, 0 = not a
 * sample) and the sequence number (8 bytes).
 */
final class Subscriber extends Link {
    private ByteBuffer acks = ByteBuffer.allocateDirect(512);
    private long nextSequence;

    Subscriber(LoadLoop loop, String clientId, List<String> filters, int qos) {
        super(loop, clientId, filters, qos);
    }

    @Override
    void onPacket(int first, ByteBuffer in, int from, int to) {
        if ((first & 0xF0) != Frames.PUBLISH) return;
        int payload = from + 2 + (in.getShort(from) & 0xFFFF);
        if ((first & 0x06) != 0) {
            acknowledge(in.getShort(payload));
            payload += 2;
        }
        long sequence = in.getLong(payload + 8);
        if (sequence < nextSequence) {
            loop.onRepeated();
            return;
        }
        nextSequence = sequence + 1;
        loop.onDelivered();
        long sentNanos = in.getLong(payload);
        if (sentNanos != 0) loop.onSample(sentNanos);
    }

    @Override
    void onReadComplete() throws IOException {
        if (acks.position() > 0) onWritable();
    }

    @Override
    void onWritable() throws IOException {
        acks.flip();
        channel().write(acks);
        acks.compact();
        wantWrite(acks.position() > 0);
    }

    private void acknowledge(short packetId) {
        if (acks.remaining() < Frames.PUBACK_BYTES) {
            acks = ByteBuffer.allocateDirect(acks.capacity() * 2).put(acks.flip());
        }
        acks.putInt(Frames.PUBACK << 24 | 2 << 16 | packetId & 0xFFFF);
    }
}
