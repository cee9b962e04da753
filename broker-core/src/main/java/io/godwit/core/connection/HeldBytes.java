package io.godwit.core.connection;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one connection that were read and not decoded: the beginning of a packet that has not
 * arrived whole, or what came while the decoding was paused. Grows with what arrives, never by what
 * a length field claims; the node's sum is bounded. What was decoded of a packet's filters counts,
 * too.
 */
final class HeldBytes {
    /** The next one in the list of {@link PartialPackets}. */
    @Nullable HeldBytes next;

    @Nullable HeldBytes previous;

    private final ByteBuf bytes;
    private final Intake connection;
    private final ShardLoad load;
    private long sinceMs;
    private int lookedAt;
    private int accounted;

    private HeldBytes(ByteBuf bytes, Intake connection) {
        this.bytes = bytes;
        this.connection = connection;
        this.load = connection.context.load();
        this.sinceMs = connection.shard.nowMs();
        connection.context.partial().add(this);
    }

    /**
     * Takes what is left in {@code in}.
     *
     * @return null when the node's bound is reached
     * @throws NoMemoryForPacket they could not be taken
     */
    static @Nullable HeldBytes of(ByteBuf in, Intake connection) {
        int length = in.readableBytes();
        if (!connection.context.load().mayHold(length, 0)) {
            return null;
        }
        HeldBytes held = new HeldBytes(copy(in), connection);
        held.account();
        return held;
    }

    private static ByteBuf copy(ByteBuf in) {
        try {
            return Unpooled.buffer(in.readableBytes()).writeBytes(in);
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
    }

    /** Whether the decoding waits for the client, which has not sent a whole packet. */
    boolean isPacket() {
        return connection.wantsMore() && !isParked();
    }

    /** Whether these are a PUBLISH, and what came behind it, that wait for the end of an alarm. */
    boolean isParked() {
        return connection.waitsAtPublish();
    }

    /** Whether the first packet is a PUBLISH, and whole. */
    boolean isPublish(PacketDecoder decoder, InboundState state) {
        int have = bytes.readableBytes();
        int index = bytes.readerIndex();
        if (have == 0 || !PacketDecoder.isPublish(bytes.getByte(index))) {
            return false;
        }
        try {
            int length = decoder.frameLength(bytes, index, have, state);
            return length != PacketDecoder.INCOMPLETE && length <= have;
        } catch (ProtocolViolation violation) {
            return false; // Decoding it ends the connection.
        }
    }

    /** Monotonic milliseconds at which the first of these bytes came. */
    long sinceMs() {
        return sinceMs;
    }

    int size() {
        return accounted;
    }

    /** Bytes that came since the last call of this method. */
    int gotSinceLook() {
        int now = bytes.readableBytes();
        int got = Math.max(0, now - lookedAt);
        lookedAt = now;
        return got;
    }

    /** Ends the connection: its packet takes too long, or takes room from others. */
    void refuse() {
        connection.shard.counters().increment(Metric.REFUSED_PARTIAL_BYTES);
        connection.close(ReasonCode.QUOTA_EXCEEDED, "a packet does not arrive", true);
    }

    ByteBuf bytes() {
        return bytes;
    }

    /**
     * @throws NoMemoryForPacket they could not be taken
     */
    void append(ByteBuf in) {
        append(in, in.readableBytes());
    }

    private void append(ByteBuf in, int count) {
        try {
            bytes.writeBytes(in, count);
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
        account();
    }

    /**
     * Takes the bytes that the first packet misses.
     *
     * @return whether it is whole now
     * @throws io.godwit.core.codec.ProtocolViolation its header is wrong or too large, or the
     *     node's bound for partial packets is reached
     * @throws NoMemoryForPacket they could not be taken
     */
    boolean complete(ByteBuf in, PacketDecoder decoder, InboundState state) {
        while (true) {
            int index = bytes.readerIndex();
            int have = bytes.readableBytes();
            int length = decoder.frameLength(bytes, index, have, state);
            int missing = length == PacketDecoder.INCOMPLETE ? 1 : length - have;
            if (missing <= 0) {
                return true;
            }
            int take = Math.min(missing, in.readableBytes());
            if (take == 0) {
                return false;
            }
            int growth = take - bytes.writableBytes();
            if (growth > 0 && !load.mayHold(growth, have)) {
                connection.shard.counters().increment(Metric.REFUSED_PARTIAL_BYTES);
                throw new ProtocolViolation(
                        ReasonCode.QUOTA_EXCEEDED,
                        "the node's bound for partial packets is reached");
            }
            append(in, take);
        }
    }

    /**
     * Gives room back that decoded packets have taken.
     *
     * @return false when the node's bound is reached, since filters were decoded
     */
    boolean compact() {
        bytes.discardReadBytes();
        sinceMs = connection.shard.nowMs(); // what is left is another packet's beginning
        lookedAt = 0;
        int before = accounted;
        account();
        return accounted <= before || load.mayHold(0, bytes.readableBytes());
    }

    void release() {
        load.held(-accounted);
        accounted = 0;
        connection.context.partial().remove(this);
        bytes.release();
    }

    private void account() {
        long filters = connection.context.decoder().heldBytes(connection.inbound);
        int now = (int) Math.min(Integer.MAX_VALUE, bytes.capacity() + filters);
        load.held(now - accounted);
        accounted = now;
    }
}
