package io.godwit.cluster.membership;

import io.godwit.cluster.transport.NodeStart;

/**
 * A server id that has joined the cluster, as it was seen last; alive or not.
 *
 * @param last the highest start that was seen
 * @param process of that start
 * @param name of the node, for people
 * @param clientAddress where clients reach it; empty: not configured
 */
public record Member(NodeStart last, long process, String name, String clientAddress) {
    public int server() {
        return last.server();
    }
}
