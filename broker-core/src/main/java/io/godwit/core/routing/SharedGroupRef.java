package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A shared-subscription group as everyone but its owner sees it: its filter, and the shard that
 * owns it. The one implementation is the group's state machine.
 */
public abstract non-sealed class SharedGroupRef implements RouteTarget {
    private final TopicFilter filter;
    private final int owner;
    private volatile boolean durable;
    private volatile boolean full;
    private volatile GroupState state = GroupState.WAITING;

    /** What other nodes were told of it; the index owner's. */
    GroupState indexed = GroupState.WAITING;

    /**
     * @param filter the whole filter, {@code $share/group/filter}
     */
    protected SharedGroupRef(TopicFilter filter, int owner) {
        this.filter = filter;
        this.owner = owner;
    }

    public final TopicFilter filter() {
        return filter;
    }

    /** A group equals itself only. */
    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other;
    }

    /** The hash is made of the filter: the same in each run of a seed. */
    @Override
    public final int hashCode() {
        return filter.hashCode();
    }

    /** Index of the owning shard, which never changes. */
    public final int owner() {
        return owner;
    }

    @Override
    public final boolean isFull() {
        return full;
    }

    /** Only the owner says so. */
    public final void full(boolean is) {
        full = is;
    }

    /** Whether the group is durable: as long as any member is, or the first is not known yet. */
    public final boolean isDurable() {
        return durable;
    }

    /** What there is of it; as the index had it from the beginning on, {@code WAITING}. */
    public final GroupState state() {
        return state;
    }

    protected final void state(GroupState is) {
        this.state = is;
    }

    protected final void durable(boolean is) {
        this.durable = is;
    }
}
