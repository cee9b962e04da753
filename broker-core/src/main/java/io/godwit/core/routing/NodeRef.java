package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * Another node that has subscribers of a filter: a message goes there once, whoever they are. Two
 * are equal when they name the same node, whatever it has there.
 */
public final class NodeRef implements RouteTarget {
    private final int server;
    private final boolean hasDurable;
    private final int packetBytesMax;

    /**
     * Names a node with a durable subscriber.
     *
     * @param server its server id, 0..2^24-1
     */
    public NodeRef(int server) {
        this(server, true);
    }

    /**
     * @param server its server id, 0..2^24-1
     * @param hasDurable whether one of its subscribers is durable, as far as that is known: what
     *     the others are owed ends with their node
     */
    public NodeRef(int server, boolean hasDurable) {
        this(server, hasDurable, Integer.MAX_VALUE);
    }

    /**
     * Names a node with members of a shared-subscription group.
     *
     * @param packetBytesMax see {@link GroupState#packetBytesMax}
     */
    public NodeRef(int server, boolean hasDurable, int packetBytesMax) {
        this.server = server;
        this.hasDurable = hasDurable;
        this.packetBytesMax = packetBytesMax;
    }

    public int server() {
        return server;
    }

    public boolean hasDurable() {
        return hasDurable;
    }

    /** Bytes of the largest packet that a member of the group takes there. */
    public int packetBytesMax() {
        return packetBytesMax;
    }

    /** Whether it has the same there as an equal one. */
    boolean hasSame(NodeRef other) {
        return hasDurable == other.hasDurable && packetBytesMax == other.packetBytesMax;
    }

    @Override
    public boolean isFull() {
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NodeRef node && node.server == server;
    }

    @Override
    public int hashCode() {
        return server;
    }

    @Override
    public String toString() {
        return "node " + server + (hasDurable ? "" : " (transient)");
    }
}
