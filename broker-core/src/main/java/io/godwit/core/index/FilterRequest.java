package io.godwit.core.index;

/**
 * A SUBSCRIBE or UNSUBSCRIBE on the shard of its connection, some filters at a time. Each step goes
 * to the topic index by itself, and the answer leaves when all of them are done. When the
 * connection ends before, the rest is left: nobody was promised it.
 */
abstract class FilterRequest {
    /** Bytes of memory that a waiting filter takes beside its text. */
    private static final int FILTER_BYTES = 100;

    final SubscriberLink connection;
    private final long heldBytes;
    private final int size;
    private int next;

    /**
     * @param size how many filters it has
     * @param filterBytes bytes of all of them
     */
    FilterRequest(SubscriberLink connection, int size, long filterBytes) {
        this.connection = connection;
        this.heldBytes = filterBytes + (long) FILTER_BYTES * size;
        this.size = size;
    }

    /** Grants, refuses or removes the filters from one to before another, and tells the index. */
    abstract void step(int from, int to);

    /** Called once, when no step follows. */
    abstract void end();

    /**
     * Does the next step.
     *
     * @return how many filters it took, 1 at the least
     */
    final int work(int max) {
        int from = next;
        if (connection.isClosed()) {
            next = size;
        } else {
            next = Math.min(size, from + max);
            step(from, next);
        }
        if (isDone()) {
            end();
            return Math.max(1, Math.min(max, next - from));
        }
        return next - from;
    }

    /** Bytes that it takes in memory, from its first filter to its last. */
    final long heldBytes() {
        return heldBytes;
    }

    final boolean isDone() {
        return next == size;
    }
}
