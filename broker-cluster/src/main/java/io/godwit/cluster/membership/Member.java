package io.godwit.cluster.membership;

import io.godwit.cluster.transport.NodeStart;

/**
 * A server id that has joined the cluster, as it was seen last; alive or not.
 *
 * @param last the highest start that was seen
 * @param process of that start
 * @param name of the node, for people
 * @param clientAddress where clients reach it; empty: not configured
 * @param forgotten how often it was forgotten, and has come back: odd while it is forgotten
 */
public record Member(
        NodeStart last, long process, String name, String clientAddress, long forgotten) {
    public Member(NodeStart last, long process, String name, String clientAddress) {
        this(last, process, name, clientAddress, 0);
    }

    boolean isForgotten() {
        return forgotten % 2 != 0;
    }

    /** The same, forgotten if it was not, and the other way round. */
    Member turned() {
        return with(forgotten + 1);
    }

    Member with(long times) {
        return new Member(last, process, name, clientAddress, times);
    }

    public int server() {
        return last.server();
    }
}
