package io.godwit.core.connection;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.netty.buffer.ByteBuf;

/**
 * Discards the PUBLISHes of a client that closed its side during an alarm. None was acknowledged,
 * so a client with a session sends them again. Its other packets are decoded: a DISCONNECT among
 * them means that no Will is wanted. Holds nothing of a PUBLISH, however large.
 */
final class PublishSkipper {
    private final PacketDecoder decoder;
    private final InboundState inbound;
    private final Counters counters;

    /** Bytes of the PUBLISH at hand that are still to be discarded. */
    private int left;

    PublishSkipper(PacketDecoder decoder, InboundState inbound, Counters counters) {
        this.decoder = decoder;
        this.inbound = inbound;
        this.counters = counters;
    }

    /**
     * Begins to discard the PUBLISH at the reader index.
     *
     * @return false when another packet stands there, or its fixed header is not there whole
     */
    boolean begin(ByteBuf in) {
        if (!in.isReadable()) {
            return false;
        }
        int index = in.readerIndex();
        int first = in.getUnsignedByte(index);
        if (!PacketDecoder.isPublish(first)) {
            return false;
        }
        int length = decoder.frameLength(in, index, in.readableBytes(), inbound);
        if (length == PacketDecoder.INCOMPLETE) {
            return false;
        }
        left = length;
        boolean isQos0 = (first & 0x06) == 0;
        counters.increment(
                isQos0 ? Metric.DROPPED_QOS0_ALARM : Metric.UNREAD_ALARM, inbound.version);
        return true;
    }

    /** Discards bytes of the PUBLISH at hand. */
    void discard(ByteBuf in) {
        int count = Math.min(left, in.readableBytes());
        in.skipBytes(count);
        left -= count;
    }
}
