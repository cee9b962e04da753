package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * A group that other nodes have members of: each message is for a member of one node.
 *
 * @param here the group of this node; null when nobody here is a member
 */
public record SpreadGroup(GroupElsewhere elsewhere, @Nullable SharedGroupRef here) {}
