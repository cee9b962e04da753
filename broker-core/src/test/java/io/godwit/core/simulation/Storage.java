package io.godwit.core.simulation;

import io.godwit.core.store.Store;

/** What outlives the broker: a store's disk. One for a node; each start opens a store on it. */
public interface Storage {
    /** Makes the storage of a node. */
    interface Maker {
        Storage make(SimulatedNode node);
    }

    /** Models of a store and its disk, in memory. */
    static Maker simulated() {
        return SimulatedStore::new;
    }

    /** A store for the next start; the one before was closed, or was lost with its process. */
    Store open();

    /**
     * The process dies, and the power with it: what is not durable is lost, or some of it. Nobody
     * of the lost process is called any more.
     *
     * @return whether anything was under way
     */
    boolean crash();

    /** Nothing that was asked for is still under way. */
    boolean isIdle();

    /** Makes it delay and fail from now on. */
    void trouble();

    /** Makes it fail no more, and delay little, from now on. */
    void calm();

    /** Makes it fail for good: until the next start nothing is written any more. */
    void fail();

    /**
     * Has the power go in the middle of a write that comes soon, by throwing {@link PowerCut}.
     *
     * @return false when this storage has no such moments
     */
    default boolean cutSoon() {
        return false;
    }

    /** The power is gone: nothing of what runs now goes on. */
    final class PowerCut extends Error {
        private static final long serialVersionUID = 1;

        private final transient Storage storage;

        /**
         * @param storage whose power it is
         */
        public PowerCut(Storage storage) {
            super("the power is gone", null, false, false);
            this.storage = storage;
        }

        Storage storage() {
            return storage;
        }
    }

    /**
     * Every session has ended, the broker was started once more, and some seconds have passed: what
     * is left and should not be.
     *
     * @return empty when there is nothing
     */
    String rest();
}
