package io.godwit.cluster.broker;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * When this node may serve: it knows what the other nodes have, or has waited for that long enough.
 * On the shard that owns the topic index.
 */
final class Readiness {
    private final IntPredicate hasToldFilters;
    private final IntPredicate hasToldRetained;
    private final Runnable whenAllKnown;
    private final Runnable whenServing;
    private Set<Integer> others = Set.of();
    private Runnable whenReady = () -> {};
    private boolean begun;
    private boolean serves;
    private boolean knowsAll;

    /**
     * @param hasToldFilters asked with the server id of a node
     * @param hasToldRetained the same of retained messages
     * @param whenAllKnown called once, when all have told their filters: perhaps never
     * @param whenServing called once, when publishers may go on
     */
    Readiness(
            IntPredicate hasToldFilters,
            IntPredicate hasToldRetained,
            Runnable whenAllKnown,
            Runnable whenServing) {
        this.hasToldFilters = hasToldFilters;
        this.hasToldRetained = hasToldRetained;
        this.whenAllKnown = whenAllKnown;
        this.whenServing = whenServing;
    }

    /**
     * @param others the nodes that are waited for
     * @param whenReady called once, behind what is done when this node serves
     */
    void begin(Set<Integer> others, Runnable whenReady) {
        this.others = Set.copyOf(others);
        this.whenReady = whenReady;
        begun = true;
        look();
    }

    /** Nodes that do not belong to the cluster any more are not waited for. */
    void forget(Set<Integer> servers) {
        Set<Integer> left = new TreeSet<>(others);
        left.removeAll(servers);
        others = left;
        look();
    }

    /** Some node may have told what it has. */
    void look() {
        if (!begun || knowsAll && serves || !haveAll(hasToldFilters)) {
            return;
        }
        if (!knowsAll) {
            knowsAll = true;
            whenAllKnown.run();
        }
        if (haveAll(hasToldRetained)) {
            serve();
        }
    }

    private boolean haveAll(IntPredicate told) {
        return others.stream().allMatch(told::test);
    }

    /** No node is waited for any longer. */
    void serve() {
        if (!serves) {
            serves = true;
            whenServing.run();
            whenReady.run();
        }
    }
}
