package io.godwit.core.routing;

/** Whom a filter leads a message to. */
public sealed interface RouteTarget permits SessionRef, SharedGroupRef, NodeRef {
    /** Whether it holds more than its part while memory is short: who publishes to it waits. */
    boolean isFull();
}
