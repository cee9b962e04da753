package io.godwit.cluster.stream;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Large chunks that no stream of a shard needs at the moment: new ones would be cleared, would be
 * in no cache, and would live just long enough to cost the collector most.
 */
public final class SpareChunks {
    /** What a shard frees with one answer when it sends as fast as it can. */
    private static final int MOST = 16;

    private final ArrayDeque<RecordChunk> chunks = new ArrayDeque<>(0);
    private final LongConsumer account;

    /**
     * @param account told of each change of the bytes that are held here
     */
    public SpareChunks(LongConsumer account) {
        this.account = account;
    }

    /** An empty one; null when there is none. */
    @Nullable RecordChunk take() {
        RecordChunk taken = chunks.pollLast();
        if (taken != null) {
            account.accept(-taken.capacity());
        }
        return taken;
    }

    /** One that is not needed any more; it is left to the collector when somebody may read it. */
    void give(RecordChunk chunk) {
        if (chunk.capacity() == RecordChunk.BYTES_MOST && chunks.size() < MOST && !chunk.isRead()) {
            chunk.clear();
            chunks.addLast(chunk);
            account.accept(chunk.capacity());
        }
    }
}
