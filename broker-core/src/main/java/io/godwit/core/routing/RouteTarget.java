package io.godwit.core.routing;

/** Whom a filter leads a message to. */
public sealed interface RouteTarget permits SessionRef, SharedGroupRef, NodeRef {}
