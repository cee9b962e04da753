package io.godwit.server.config;

/**
 * What the launcher gave this process; shares of it are defaults.
 *
 * @param heapBytes largest Java heap
 * @param directBytes most that network buffers may take
 * @param storeBytes what the store may take outside the heap
 */
public record MemoryBudget(long heapBytes, long directBytes, long storeBytes) {

    /**
     * The budget that the flags of this JVM say; without the launcher direct memory is as large as
     * the heap.
     */
    public static MemoryBudget ofThisProcess() {
        long heap = Runtime.getRuntime().maxMemory();
        return new MemoryBudget(
                heap,
                Long.getLong("io.netty.maxDirectMemory", heap),
                Long.getLong("godwit.memory.store", 0));
    }

    /** Returns the budget without a part of the heap that is promised to something. */
    MemoryBudget withoutHeap(long bytes) {
        return new MemoryBudget(heapBytes - bytes, directBytes, storeBytes);
    }
}
