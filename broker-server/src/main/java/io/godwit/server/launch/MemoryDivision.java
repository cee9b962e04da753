package io.godwit.server.launch;

/**
 * How the process's memory is divided. What remains is for classes, compiled code, threads, the
 * collector's tables and what native libraries allocate.
 *
 * @param budgetBytes of the whole process
 * @param from where the budget comes from, as an operator would say it
 */
record MemoryDivision(
        long budgetBytes, String from, long heapBytes, long directBytes, long storeBytes) {
    private static final long MIB = 1L << 20;
    private static final long FIXED = 96 * MIB;
    private static final long LEAST = 256 * MIB;

    /** Beyond this references double in size: more heap would hold less. */
    private static final long HEAP_MAX = 31 * 1024 * MIB;

    /** There is too little memory for a start; the message is a sentence for the operator. */
    static final class TooLittle extends Exception {
        private static final long serialVersionUID = 1L;

        TooLittle(String message) {
            super(message);
        }
    }

    /**
     * @param configured node.memory in bytes; 0 = the container's limit, else half of the machine
     */
    static MemoryDivision of(long configured, MemoryLimit limit) throws TooLittle {
        long machine = limit.machineBytes();
        long container = limit.container();
        if (configured > 0) {
            requireAtMost(configured, machine, "this machine has");
            requireAtMost(configured, container, "the container may use");
            return of(configured, "node.memory");
        }
        return container < machine
                ? of(container, "the container's limit")
                : of(machine / 2, "half of the machine");
    }

    private static void requireAtMost(long configured, long limit, String owner) throws TooLittle {
        if (configured > limit) {
            throw new TooLittle(
                    "node.memory: "
                            + configured / MIB
                            + " MiB are more than "
                            + owner
                            + " ("
                            + limit / MIB
                            + " MiB)");
        }
    }

    private static MemoryDivision of(long budget, String from) throws TooLittle {
        if (budget < LEAST) {
            throw new TooLittle(
                    from + " leaves " + budget / MIB + " MiB; Godwit needs at least 256 MiB");
        }
        long rest = budget - FIXED;
        return new MemoryDivision(
                budget,
                from,
                Math.min(whole(rest / 2), HEAP_MAX),
                whole(rest / 5),
                whole(rest / 100 * 15));
    }

    private static long whole(long bytes) {
        return bytes / MIB * MIB;
    }

    @Override
    public String toString() {
        return budgetBytes / MIB
                + " MiB ("
                + from
                + "): heap "
                + heapBytes / MIB
                + " MiB, network buffers "
                + directBytes / MIB
                + " MiB, store "
                + storeBytes / MIB
                + " MiB";
    }
}
