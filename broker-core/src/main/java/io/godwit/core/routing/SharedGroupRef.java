package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;

/**
 * A shared-subscription group as everyone but its owner sees it: the shard that owns its queue. The
 * one implementation is the group's state machine.
 */
public abstract class SharedGroupRef {
    private final TopicFilter filter;
    private final int owner;
    private volatile boolean durable;

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

    /** Index of the owning shard; fixed. */
    public final int owner() {
        return owner;
    }

    /** Durable while any member is. */
    public final boolean isDurable() {
        return durable;
    }

    protected final void durable(boolean durable) {
        this.durable = durable;
    }
}
