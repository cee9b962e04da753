package io.godwit.core.publish;

import io.godwit.core.message.Message;

/**
 * Retained PUBLISHes of one connection whose route was not taken yet: they are on their way to the
 * retained store's shard, or to other nodes, and nothing newer may overtake them.
 */
final class RetainedUnderWay {
    private static final int COUNT_MAX = 1_000;

    private final long bytesMax;
    private int count;
    private long bytes;

    /**
     * @param bytesMax above which nothing more is to be read
     */
    RetainedUnderWay(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count >= COUNT_MAX || bytes > bytesMax;
    }

    void add(Message message) {
        count++;
        bytes += message.accountedBytes();
    }

    void remove(Message message) {
        count--;
        bytes -= message.accountedBytes();
    }
}
