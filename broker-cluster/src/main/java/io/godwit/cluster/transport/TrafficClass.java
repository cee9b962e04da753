package io.godwit.cluster.transport;

/**
 * What a message is for. Each class of a link has an order, a bound and credits of its own, and
 * none ever waits for a lower one: two nodes that are full of each other's publishes still finish.
 * Between classes there is no order.
 */
public enum TrafficClass {
    /** Publishes that go to a session's home. */
    PUBLISHES,
    /** Operations that go to a session's copies. */
    APPENDS,
    /**
     * What frees something: confirmations, removals, credits; and what all nodes must know soon,
     * routes. Whoever handles it may not wait for a message of a lower class.
     */
    CONTROL;

    static final int COUNT = values().length;
}
