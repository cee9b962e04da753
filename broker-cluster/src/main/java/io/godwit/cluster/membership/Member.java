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
 * @param hasServed whether a start of it has let clients in
 */
public record Member(
        NodeStart last,
        long process,
        String name,
        String clientAddress,
        long forgotten,
        boolean hasServed) {
    public Member(NodeStart last, long process, String name, String clientAddress) {
        this(last, process, name, clientAddress, 0, false);
    }

    boolean isForgotten() {
        return forgotten % 2 != 0;
    }

    /** Returns the member forgotten if it was not, and back in the cluster if it was. */
    Member turned() {
        return new Member(last, process, name, clientAddress, forgotten + 1, hasServed);
    }

    /** Returns the member, marked as one that has let clients in. */
    Member serving() {
        return new Member(last, process, name, clientAddress, forgotten, true);
    }

    /** Returns this record with the forgettings and the mark of another record of the member. */
    Member with(Member other) {
        return new Member(
                last,
                process,
                name,
                clientAddress,
                Math.max(forgotten, other.forgotten),
                hasServed || other.hasServed);
    }

    public int server() {
        return last.server();
    }
}
