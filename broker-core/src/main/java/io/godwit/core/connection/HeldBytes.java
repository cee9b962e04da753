package io.godwit.core.connection;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one connection that were read and not decoded: the beginning of a packet that has not
 * arrived whole, or what came while the decoding was paused. Grows with what arrives, never by what
 * a length field claims; the node's sum is bounded.
 */
final class HeldBytes {
    private final ByteBuf bytes;
    private final ShardLoad load;
    private final Counters counters;
    private int accounted;

    private HeldBytes(ByteBuf bytes, ShardLoad load, Counters counters) {
        this.bytes = bytes;
        this.load = load;
        this.counters = counters;
    }

    /** Takes what is left in {@code in}. @return null when the node's bound is reached */
    static @Nullable HeldBytes of(ByteBuf in, ShardLoad load, Counters counters) {
        if (!load.mayHold(in.readableBytes())) {
            return null;
        }
        HeldBytes held = new HeldBytes(Unpooled.buffer(in.readableBytes()), load, counters);
        held.append(in);
        return held;
    }

    ByteBuf bytes() {
        return bytes;
    }

    void append(ByteBuf in) {
        bytes.writeBytes(in);
        account();
    }

    /**
     * Takes the bytes that the first packet misses.
     *
     * @return whether it is whole now
     * @throws io.godwit.core.codec.ProtocolViolation its header is wrong or too large, or the
     *     node's bound for partial packets is reached
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
            if (!load.mayHold(take)) {
                counters.increment(Metric.REFUSED_PARTIAL_BYTES);
                throw new ProtocolViolation(
                        ReasonCode.QUOTA_EXCEEDED,
                        "the node's bound for partial packets is reached");
            }
            bytes.writeBytes(in, take);
            account();
        }
    }

    void compact() {
        bytes.discardReadBytes();
        account();
    }

    void release() {
        load.held(-accounted);
        accounted = 0;
        bytes.release();
    }

    private void account() {
        int now = bytes.capacity();
        load.held(now - accounted);
        accounted = now;
    }
}
