package io.godwit.cluster.remote;

import io.godwit.core.operation.ByteWriter;
import io.netty.buffer.ByteBuf;

/**
 * One side of a channel: its number, the way to the other side, and a window for each direction.
 */
final class ChannelEnd {
    final long number;
    final PeerPost post;
    final SendWindow out;
    final ReceiveWindow in;
    private final WindowBudget incoming;
    private final ChannelCounters counters;

    /** The shard that has the other side. */
    private final int shard;

    /** Whether it stands in the list of windows that have grown. */
    private boolean isListed;

    private boolean isReleased;

    /** Whether the other side was told that this one waits for credit. */
    private boolean isUsedUp;

    /**
     * @param outFirst bytes of the first window of what is sent
     */
    ChannelEnd(
            long number,
            int shard,
            PeerPost post,
            int outFirst,
            WindowBudget incoming,
            ChannelCounters counters) {
        this.number = number;
        this.shard = shard;
        this.post = post;
        this.incoming = incoming;
        this.counters = counters;
        out = new SendWindow(outFirst);
        in = new ReceiveWindow(incoming);
    }

    /** Sends all that is readable. */
    void send(ByteBuf bytes) {
        int length = bytes.readableBytes();
        tellWithData();
        post.data(shard, number, bytes);
        sent(length);
    }

    void send(byte[] bytes, int from, int length) {
        tellWithData();
        post.data(shard, number, bytes, from, length);
        sent(length);
    }

    private void sent(int length) {
        out.sent(length);
        if (!isUsedUp && !out.isBelow()) {
            isUsedUp = true;
            record(Records.USED_UP);
        }
        counters.bytesUnderWay(length);
    }

    /** Credit costs little beside data. */
    private void tellWithData() {
        if (in.hasNews()) {
            tell();
        }
    }

    /** Tells the other side what was taken, when it is enough to be told by itself. */
    void tellIfDue() {
        if (in.isDue()) {
            tell();
        }
    }

    private void tell() {
        long taken = in.tellTaken();
        record(Records.WINDOW).varint(taken).varint(in.grant());
        if (!isListed && in.hasGrown()) {
            isListed = true;
            incoming.add(this);
        }
    }

    /**
     * Makes the window of what is received as small as at first, when nothing has come by it
     * lately.
     *
     * @param always also when something has come
     * @return whether it is so small, or the channel has ended
     */
    boolean shrinkIf(boolean always) {
        boolean used = in.takeUsed();
        if (isReleased || always || !used) {
            isListed = false;
            if (!isReleased) {
                shrink();
            }
            return true;
        }
        return false;
    }

    private void shrink() {
        int bytes = in.shrink();
        if (bytes > 0) {
            record(Records.SHRINK).varint(bytes);
        }
    }

    void close(CloseReason reason) {
        record(Records.CLOSE).u8(reason.ordinal());
    }

    private ByteWriter record(int kind) {
        return post.toShard(shard).u8(kind).varint(number);
    }

    // ---------------------------------------------------------------- what the other side says

    void onWindow(long taken, long granted) {
        out.credit(taken, granted);
        isUsedUp &= !out.isBelow();
        counters.bytesUnderWay(-taken);
    }

    void onShrink(long bytes) {
        out.shrink(bytes);
        record(Records.SHRUNK).varint(bytes);
    }

    void onShrunk(long bytes) {
        in.shrunk(bytes);
    }

    /** Gives back what it is charged with; called once, when it has ended. */
    void release() {
        isReleased = true;
        counters.bytesUnderWay(-out.pending());
        in.close();
    }
}
