package io.godwit.server.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/** Reads into the heap, where Netty's own allocators of read buffers insist on network buffers. */
final class HeapReads extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int BYTES = 4 << 10; // most requests; a longer one takes several reads

    @Override
    @SuppressWarnings("deprecation") // Netty's own channels ask for the deprecated type
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return BYTES;
            }

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                return allocator.heapBuffer(BYTES);
            }
        };
    }
}
