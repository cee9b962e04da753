package io.godwit.cluster.takeover;

/** Who grants which client ids, as this node sees it now: what membership knows. */
public interface Anchors {
    /**
     * The first live node of a slot's list.
     *
     * @return its server id; this node's own, perhaps
     */
    int first(int slot);
}
