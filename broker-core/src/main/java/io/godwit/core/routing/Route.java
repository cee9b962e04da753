package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * The targets of a topic at one version of the index: each session once (highest QoS, all
 * Subscription Identifiers), each shared-subscription group once, each other node once. Immutable;
 * a publisher keeps the one of its last topic for as long as {@link #version} is the index's.
 *
 * <p>When one filter matches, the subscriptions are those of the index itself: {@link #at} may
 * become null (unsubscribed), or the same session's newer subscription, at any time, and nothing
 * else.
 */
public final class Route {
    static final SharedGroupRef[] NO_GROUPS = new SharedGroupRef[0];
    static final SpreadGroup[] NO_SPREAD = new SpreadGroup[0];
    static final NodeRef[] NO_NODES = new NodeRef[0];
    static final Subscription[] NO_SUBSCRIPTIONS = new Subscription[0];

    private static final int OBJECT_BYTES = 64;
    private static final int REFERENCE_BYTES = 8;

    /** A subscription that was made of overlapping ones. */
    private static final int MERGED_BYTES = 64;

    private final long version;

    /** Whether the subscriptions stand in arrays of the index. */
    private final boolean sharesIndex;

    /** The subscriptions, or the first of several chunks of them. */
    private final @Nullable Subscription[] subscriptions;

    private final @Nullable Subscription @Nullable [][] chunks;
    private final int count;
    private final Groups groups;
    private final NodeRef[] nodes;

    /**
     * The groups of a route.
     *
     * @param here those that no other node has members of
     * @param spread the others
     */
    record Groups(SharedGroupRef[] here, SpreadGroup[] spread) {
        static final Groups NONE = new Groups(NO_GROUPS, NO_SPREAD);
    }

    /** A route of the first {@code count} subscriptions. */
    Route(
            long version,
            @Nullable Subscription[] subscriptions,
            int count,
            Groups groups,
            NodeRef[] nodes) {
        this.version = version;
        this.sharesIndex = false;
        this.subscriptions = subscriptions;
        this.chunks = null;
        this.count = count;
        this.groups = groups;
        this.nodes = nodes;
    }

    /** A route of the first {@code count} subscriptions of a filter. */
    Route(long version, SubscriberSet set, int count, Groups groups, NodeRef[] nodes) {
        this.version = version;
        this.sharesIndex = true;
        this.subscriptions = set.chunks()[0];
        this.chunks = set.chunks().length == 1 ? null : set.chunks();
        this.count = count;
        this.groups = groups;
        this.nodes = nodes;
    }

    /** Bytes that the route takes in memory and does not share with the index. */
    public long accountedBytes() {
        long bytes = OBJECT_BYTES;
        if (sharesIndex) {
            return bytes;
        }
        bytes += (long) subscriptions.length * REFERENCE_BYTES;
        for (int i = 0; i < count; i++) {
            Subscription subscription = subscriptions[i];
            if (subscription != null && subscription.ids.length > 1) {
                bytes += MERGED_BYTES + (long) subscription.ids.length * Integer.BYTES;
            }
        }
        return bytes;
    }

    /** The version of the index; the route has at least all changes up to it. */
    public long version() {
        return version;
    }

    /** The number of subscriptions, those that are null counted. */
    public int count() {
        return count;
    }

    /**
     * @param i 0 to {@link #count}, exclusive
     */
    public @Nullable Subscription at(int i) {
        @Nullable Subscription[][] several = chunks;
        return several == null ? subscriptions[i] : SubscriberSet.at(several, i);
    }

    /**
     * Shared-subscription groups whose filter matches and that no other node has members of; never
     * changed by anyone.
     */
    public SharedGroupRef[] groups() {
        return groups.here();
    }

    /**
     * Shared-subscription groups whose filter matches and that other nodes have members of; never
     * changed by anyone.
     */
    public SpreadGroup[] spread() {
        return groups.spread();
    }

    /** The group of this node with this filter; null when it is not among the targets. */
    public @Nullable SharedGroupRef group(TopicFilter filter) {
        for (SharedGroupRef group : groups.here()) {
            if (group.filter().equals(filter)) {
                return group;
            }
        }
        for (SpreadGroup group : groups.spread()) {
            if (group.elsewhere().filter().equals(filter)) {
                return group.here();
            }
        }
        return null;
    }

    /**
     * Other nodes that have a session with a filter that matches, in the order of their server ids;
     * never changed by anyone.
     */
    public NodeRef[] nodes() {
        return nodes;
    }

    public boolean isEmpty() {
        return count == 0
                && groups.here().length == 0
                && groups.spread().length == 0
                && nodes.length == 0;
    }
}
