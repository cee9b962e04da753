package io.godwit.server.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Copies of payloads in network buffers that connections of one shard share: each stands there
 * once, from the first connection that writes it to the last whose socket has taken it. Only the
 * shard's thread calls, and its channels give back on it.
 */
final class SharedCopies {
    private final IntConsumer account;
    private final Map<Range, Copy> copies = new HashMap<>();

    /**
     * @param account is told the bytes of each copy that is made, and when it is free again less so
     *     many
     */
    SharedCopies(IntConsumer account) {
        this.account = account;
    }

    /**
     * Gives a view of the copy, which is made when nobody has it yet. The view is the caller's to
     * release.
     *
     * @param bytes never changed
     * @throws OutOfMemoryError when there is no room for a copy
     */
    ByteBuf of(ByteBufAllocator allocator, byte[] bytes, int from, int length) {
        Range range = new Range(bytes, from, length);
        Copy known = copies.get(range);
        if (known != null) {
            return known.retainedDuplicate();
        }
        ByteBuf room = allocator.directBuffer(length).writeBytes(bytes, from, length);
        Copy made = new Copy(allocator, room, range);
        copies.put(range, made);
        account.accept(room.capacity());
        return made.duplicate();
    }

    /** How many there are. */
    int size() {
        return copies.size();
    }

    /** Knows when nobody has a view any more. */
    private final class Copy extends UnpooledDirectByteBuf {
        private final ByteBuf room;
        private final Range range;

        Copy(ByteBufAllocator allocator, ByteBuf room, Range range) {
            super(allocator, room.nioBuffer(), room.readableBytes());
            this.room = room;
            this.range = range;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            copies.remove(range);
            account.accept(-room.capacity());
            room.release();
        }
    }

    /** A part of one array, not of one that has the same content. */
    private static final class Range {
        private final byte[] bytes;
        private final int from;
        private final int length;

        Range(byte[] bytes, int from, int length) {
            this.bytes = bytes;
            this.from = from;
            this.length = length;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Range that
                    && bytes == that.bytes
                    && from == that.from
                    && length == that.length;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(bytes) + 31 * from;
        }
    }
}
