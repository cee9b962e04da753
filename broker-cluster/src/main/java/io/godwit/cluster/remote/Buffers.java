package io.godwit.cluster.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/** Makes the buffers that connections of clients at other nodes encode into. */
public interface Buffers {
    /** Makes buffers for a broker: they are used again when they are released. */
    Buffers POOLED = PooledByteBufAllocator.DEFAULT::heapBuffer;

    /** Returns an empty buffer of at least so many bytes; whoever gets it releases it. */
    ByteBuf allocate(int bytes);
}
