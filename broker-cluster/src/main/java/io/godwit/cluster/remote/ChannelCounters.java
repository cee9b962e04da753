package io.godwit.cluster.remote;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the channels of one shard. The shard's thread writes, any thread reads. */
public final class ChannelCounters {
    private final AtomicLong edgeChannels = new AtomicLong();
    private final AtomicLong leaderChannels = new AtomicLong();
    private final AtomicLong bytesUnderWay = new AtomicLong();
    private final AtomicLong repeatedBytes = new AtomicLong();
    private final AtomicLong droppedRecords = new AtomicLong();

    /** Channels of clients that are connected to this shard. */
    public long edgeChannels() {
        return edgeChannels.getOpaque();
    }

    /** Channels of connections that this shard runs. */
    public long leaderChannels() {
        return leaderChannels.getOpaque();
    }

    /** Bytes that this shard has sent by channels and that the other sides have not taken. */
    public long bytesUnderWay() {
        return bytesUnderWay.getOpaque();
    }

    /** Bytes of payloads that went to a node more than once, since several clients got them. */
    public long repeatedBytes() {
        return repeatedBytes.getOpaque();
    }

    /** Records dropped: their channel had ended on this side. */
    public long droppedRecords() {
        return droppedRecords.getOpaque();
    }

    void edgeChannels(int change) {
        add(edgeChannels, change);
    }

    void leaderChannels(int change) {
        add(leaderChannels, change);
    }

    void bytesUnderWay(long change) {
        add(bytesUnderWay, change);
    }

    void repeated(long bytes) {
        add(repeatedBytes, bytes);
    }

    void dropped() {
        add(droppedRecords, 1);
    }

    private static void add(AtomicLong count, long change) {
        count.setOpaque(count.getPlain() + change);
    }
}
