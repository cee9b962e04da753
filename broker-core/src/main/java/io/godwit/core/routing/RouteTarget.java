package io.godwit.core.routing;

/** A target to which a filter leads a message. */
public sealed interface RouteTarget permits SessionRef, SharedGroupRef, NodeRef {
    /** Whether it holds more than its part while memory is short: who publishes to it waits. */
    boolean isFull();
}
