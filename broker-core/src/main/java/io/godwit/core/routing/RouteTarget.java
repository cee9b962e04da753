package io.godwit.core.routing;

/** A target to which a filter leads a message. */
public sealed interface RouteTarget permits SessionRef, SharedGroupRef, NodeRef {
    /** Whether it holds more than its part while memory is short: who publishes to it waits. */
    boolean isFull();

    /**
     * Whether it is behind with what it gets at QoS 1 and 2, and takes enough of it: who publishes
     * to it alone waits, whatever memory there is.
     */
    default boolean isBehind() {
        return false;
    }

    /** Whether who has published to it has to wait. */
    default boolean stopsPublishers(boolean isMemoryShort) {
        return isBehind() || isMemoryShort && isFull();
    }
}
