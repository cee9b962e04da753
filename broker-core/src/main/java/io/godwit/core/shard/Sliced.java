package io.godwit.core.shard;

/**
 * Long work that is done in slices, so that nothing else on the shard waits longer than a
 * millisecond.
 */
public interface Sliced {
    /**
     * @return true when the work is done
     */
    boolean slice();

    /** How much of a slice the last call of {@link #slice} took: targets told, or the like. */
    default int cost() {
        return 1;
    }
}
