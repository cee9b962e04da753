package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts what one publisher sent it, by the sequence number in the payload, and acknowledges QoS 1:
 * all PUBACKs of one read leave in one write, at once or after a delay.
 *
 * <p>The payload begins with the time of sending (8 bytes, {@link System#nanoTime}, 0 = not a
 * sample) and the sequence number (8 bytes).
 */
final class Subscriber extends Link {
    private final boolean durable;
    private final long ackDelayNanos;

    /** Acknowledgements that are not due yet: when, and the packet ids of one read. */
    private final ArrayDeque<Due> later = new ArrayDeque<>();

    /** Acknowledgements of the read at hand; without a delay the same as {@link #acks}. */
    private ByteBuffer fresh;

    /** Acknowledgements that the socket takes next. */
    private ByteBuffer acks = ByteBuffer.allocateDirect(512);

    private long nextSequence;
    private long received;
    private long openedNanos;
    private long firstNanos;

    private record Due(long nanos, ByteBuffer acks) {}

    Subscriber(
            LoadLoop loop,
            String clientId,
            List<String> filters,
            int qos,
            Scenario.Sessions sessions) {
        super(loop, clientId, filters, qos);
        durable = sessions.durable();
        ackDelayNanos = TimeUnit.MILLISECONDS.toNanos(sessions.ackDelayMs());
        fresh = ackDelayNanos == 0 ? acks : ByteBuffer.allocate(512);
    }

    @Override
    boolean cleanSession() {
        return !durable;
    }

    @Override
    void tune(SocketChannel opened) {
        openedNanos = System.nanoTime();
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
        if (received++ == 0) firstNanos = System.nanoTime();
        loop.onDelivered();
        long sentNanos = in.getLong(payload);
        if (sentNanos != 0) loop.onSample(sentNanos);
    }

    /** Distinct messages, in order. */
    long received() {
        return received;
    }

    /** From the begin of the connection to the first message; only when one has come. */
    long firstAfterNanos() {
        return firstNanos - openedNanos;
    }

    /** Everything that came is acknowledged. */
    boolean idle() {
        return acks.position() == 0 && later.isEmpty();
    }

    @Override
    void onReadComplete() throws IOException {
        if (fresh.position() == 0) return;
        if (ackDelayNanos == 0) {
            acks = fresh;
            onWritable();
        } else {
            later.add(new Due(System.nanoTime() + ackDelayNanos, fresh.flip()));
            fresh = ByteBuffer.allocate(512);
        }
    }

    /** Sends the delayed acknowledgements that are due. */
    void acknowledgeDue(long nowNanos) throws IOException {
        Due due;
        while ((due = later.peek()) != null && due.nanos() <= nowNanos) {
            later.remove();
            acks = reserve(acks, due.acks().remaining()).put(due.acks());
        }
        if (acks.position() > 0) onWritable();
    }

    @Override
    void onWritable() throws IOException {
        acks.flip();
        send(acks);
        acks.compact();
        wantWrite(acks.position() > 0);
    }

    private void acknowledge(short packetId) {
        fresh = reserve(fresh, Frames.PUBACK_BYTES);
        fresh.putInt(Frames.PUBACK << 24 | 2 << 16 | packetId & 0xFFFF);
    }

    private static ByteBuffer reserve(ByteBuffer buffer, int bytes) {
        if (buffer.remaining() >= bytes) return buffer;
        int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
        return ByteBuffer.allocateDirect(capacity).put(buffer.flip());
    }
}
