package io.godwit.core.routing;

/**
 * What a node has of a shared-subscription group, or of a filter: of a filter that is not shared,
 * {@link #ONLINE} or {@link #TRANSIENT_ONLINE} while a session has it.
 */
public enum GroupState {
    /** No member. */
    NONE,
    /** Members, and none of them is online: messages wait there, if there is nowhere better. */
    WAITING,
    /** A member that is online. */
    ONLINE,
    /** The same as {@link #WAITING}, and no member is durable. */
    TRANSIENT_WAITING,
    /** The same as {@link #ONLINE}, and no member is durable. */
    TRANSIENT_ONLINE;

    /** Whether a member is online. */
    public boolean isOnline() {
        return this == ONLINE || this == TRANSIENT_ONLINE;
    }

    /** Whether there are members, and none is online. */
    public boolean isWaiting() {
        return this == WAITING || this == TRANSIENT_WAITING;
    }

    /** Whether there are members, and each ends with its node: nothing waits for it there. */
    public boolean isTransient() {
        return this == TRANSIENT_WAITING || this == TRANSIENT_ONLINE;
    }

    /** The state as older nodes know it: they take every member for a durable one. */
    public GroupState withoutDurability() {
        return switch (this) {
            case TRANSIENT_WAITING -> WAITING;
            case TRANSIENT_ONLINE -> ONLINE;
            case NONE, WAITING, ONLINE -> this;
        };
    }

    /** The state with members of which one is durable, or none is. */
    public GroupState withDurability(boolean durable) {
        return switch (this) {
            case NONE -> NONE;
            case WAITING, TRANSIENT_WAITING -> durable ? WAITING : TRANSIENT_WAITING;
            case ONLINE, TRANSIENT_ONLINE -> durable ? ONLINE : TRANSIENT_ONLINE;
        };
    }
}
