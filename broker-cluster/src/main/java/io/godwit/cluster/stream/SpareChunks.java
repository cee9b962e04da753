package io.godwit.cluster.stream;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Large chunks that no stream of a shard needs at the moment: new ones would be cleared, would be
 * in no cache, and would live just long enough to cost the collector most.
 */
public final class SpareChunks {
    /** More than a shard frees with one answer when it sends as fast as it can. */
    private static final int MOST = 64;

    /** Of what may be kept for other nodes, this part may stand by. */
    private static final int SHARE = 16;

    private final ArrayDeque<RecordChunk> chunks = new ArrayDeque<>(0);
    private final LongSupplier keptMax;
    private final LongConsumer account;

    /**
     * @param keptMax bytes that the shard may keep for all nodes together
     * @param account told of each change of the bytes that are held here
     */
    public SpareChunks(LongSupplier keptMax, LongConsumer account) {
        this.keptMax = keptMax;
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
        if (chunk.capacity() == RecordChunk.BYTES_MOST && hasRoom() && !chunk.isRead()) {
            chunk.clear();
            chunks.addLast(chunk);
            account.accept(chunk.capacity());
        }
    }

    private boolean hasRoom() {
        int count = chunks.size();
        return count < MOST && (count + 1L) * RecordChunk.BYTES_MOST <= keptMax.getAsLong() / SHARE;
    }
}
