package io.godwit.cluster.membership;

import io.godwit.cluster.transport.NodeStart;

/**
 * Who this node is.
 *
 * @param start its server id and start number
 * @param process drawn at random at its start
 * @param name for people
 * @param clientAddress where clients reach it, for redirects; empty: not configured
 * @param version of its program
 */
public record Self(
        NodeStart start, long process, String name, String clientAddress, String version) {
    Member member() {
        return new Member(start, process, name, clientAddress);
    }
}
