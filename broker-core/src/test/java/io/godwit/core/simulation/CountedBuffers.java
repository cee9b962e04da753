package io.godwit.core.simulation;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Makes buffers and knows those that nobody has released: what Netty's leak detector finds by
 * chance, and after a garbage collection, a test asks at once. There is one for each start of a
 * node, since what a process holds ends with it.
 */
public final class CountedBuffers extends AbstractByteBufAllocator {
    private final Set<ByteBuf> unreleased = Collections.newSetFromMap(new IdentityHashMap<>());

    private long made;

    public CountedBuffers() {
        super(false);
    }

    /** Counts the buffers that were made. */
    public long made() {
        return made;
    }

    /** Returns the buffers that are not released. */
    public Set<ByteBuf> unreleased() {
        return unreleased;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        ByteBuf buffer = new Counted(initialCapacity, maxCapacity);
        made++;
        unreleased.add(buffer);
        return buffer;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        throw new UnsupportedOperationException("a direct buffer");
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    private final class Counted extends UnpooledHeapByteBuf {
        Counted(int initialCapacity, int maxCapacity) {
            super(CountedBuffers.this, initialCapacity, maxCapacity);
        }

        @Override
        protected void deallocate() {
            unreleased.remove(this);
            super.deallocate();
        }
    }
}
