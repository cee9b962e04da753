package io.godwit.core.routing;

/** A target to which a filter leads a message. */
public sealed interface RouteTarget permits SessionRef, SharedGroupRef, NodeRef {}
