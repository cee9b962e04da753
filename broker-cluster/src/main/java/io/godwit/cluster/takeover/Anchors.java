package io.godwit.cluster.takeover;

/** Who grants which client ids, as this node sees it now: what membership knows. */
@FunctionalInterface
public interface Anchors {
    /** No node. */
    int NOBODY = -1;

    /**
     * A node of a slot's list, of those that are live.
     *
     * @param rank how many of them are before it
     * @return its server id, this node's own perhaps; {@link #NOBODY} when there are not so many
     */
    int at(int slot, int rank);

    /** The one that grants. */
    default int first(int slot) {
        return at(slot, 0);
    }

    /** The one that grants as soon as the first one dies. */
    default int second(int slot) {
        return at(slot, 1);
    }
}
