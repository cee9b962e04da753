package io.godwit.core.routing;

/** What a node has of a shared-subscription group. */
public enum GroupState {
    /** No member. */
    NONE,
    /** Members, and none of them is online: messages wait there, if there is nowhere better. */
    WAITING,
    /** A member that is online. */
    ONLINE
}
