package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A shared-subscription group as everyone but its owner sees it: the shard that owns its queue. The
 * one implementation is the group's state machine.
 */
public abstract non-sealed class SharedGroupRef implements RouteTarget {
    private final TopicFilter filter;
    private final int owner;
    private volatile boolean durable;
    private volatile boolean full;

    /**
     * @param filter whole, {@code $share/group/filter}
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

    /** By filter: the same in each run of a seed. */
    @Override
    public final int hashCode() {
        return filter.hashCode();
    }

    /** Index of the owning shard; fixed. */
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

    /** Durable while any member is. */
    public final boolean isDurable() {
        return durable;
    }

    protected final void durable(boolean is) {
        this.durable = is;
    }
}
