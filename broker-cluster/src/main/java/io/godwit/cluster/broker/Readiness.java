package io.godwit.cluster.broker;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;

/**
 * Decides when this node may serve: it knows what the nodes have that are here, or has waited for
 * that long enough. Its publishers go on when the filters of all members are known, also of those
 * out of reach: a message for their durable sessions would be acknowledged otherwise, and lost.
 * They also wait until it is known which sessions of an earlier start others have taken over: their
 * Wills are not published here. On the shard that owns the topic index.
 */
final class Readiness {
    private final IntPredicate hasToldFilters;
    private final IntPredicate hasToldRetained;
    private final Runnable whenAllKnown;
    private final Runnable whenServing;
    private final BooleanSupplier mayPublish;
    private Set<Integer> others = Set.of();
    private Runnable whenReady = () -> {};
    private boolean begun;
    private boolean isOpen;
    private boolean serves;
    private boolean knowsAll;

    /**
     * @param hasToldFilters asked with the server id of a node
     * @param hasToldRetained the same of retained messages
     * @param mayPublish whether the durable filters of all members are known, also of those that
     *     have not told them, and which sessions of before are still this node's
     * @param whenAllKnown called once, when all have told their filters: perhaps never
     * @param whenServing called once, when publishers may go on
     */
    Readiness(
            IntPredicate hasToldFilters,
            IntPredicate hasToldRetained,
            BooleanSupplier mayPublish,
            Runnable whenAllKnown,
            Runnable whenServing) {
        this.hasToldFilters = hasToldFilters;
        this.hasToldRetained = hasToldRetained;
        this.mayPublish = mayPublish;
        this.whenAllKnown = whenAllKnown;
        this.whenServing = whenServing;
    }

    /**
     * @param others the nodes that are here
     * @param whenReady called once: clients may come
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
        if (!begun || knowsAll && serves) {
            return;
        }
        if (!knowsAll && haveAll(hasToldFilters)) {
            knowsAll = true;
            whenAllKnown.run();
        }
        if (knowsAll && haveAll(hasToldRetained)) {
            open();
        }
        letPublish();
    }

    private void letPublish() {
        if (isOpen && !serves && mayPublish.getAsBoolean()) {
            serves = true;
            whenServing.run();
        }
    }

    /** Whether publishers go on. */
    boolean isServing() {
        return serves;
    }

    private boolean haveAll(IntPredicate told) {
        return others.stream().allMatch(told::test);
    }

    /** Lets clients come: no node is waited for any longer, but by publishers. */
    void open() {
        if (!isOpen) {
            isOpen = true;
            letPublish();
            whenReady.run();
        }
    }
}
