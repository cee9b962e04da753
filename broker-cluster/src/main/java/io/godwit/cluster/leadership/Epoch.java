package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * Names one term of leadership of a slot, and the leader. Of two epochs the higher counts: compared
 * by changes, then incarnation, then server id, so that no two leaders have the same. A leader may
 * be given a slot and take it over under epochs that are equal in these: the one with more
 * take-overs is higher then.
 *
 * @param changes rises with each change of the slot's leader, from 1
 * @param incarnation of the leader's process, from 1
 * @param server id of the leader
 * @param takeovers how often the slot was taken over in its life; every later epoch keeps it
 * @param from server id of the node from which this leader took the slot over, kept while it goes
 *     on to lead; 0: it has founded the slot, or was given it
 */
public record Epoch(long changes, long incarnation, int server, int takeovers, int from)
        implements Comparable<Epoch> {
    /**
     * How many changes count when a leader is forgotten. It may not know of that, and goes on alone
     * with one change at each start: the cluster's epochs have to stay above these.
     */
    private static final long CHANGES_WHEN_FORGOTTEN = 1 << 20;

    /**
     * How many changes count when a slot is taken over, for the same reason. More than by one that
     * forgets the leader at the same time elsewhere: that one has no sessions.
     */
    private static final long CHANGES_WHEN_TAKEN_OVER = 2 * CHANGES_WHEN_FORGOTTEN;

    /** Makes an epoch of a slot that was never taken over. */
    public Epoch(long changes, long incarnation, int server) {
        this(changes, incarnation, server, 0, 0);
    }

    /** Returns the first epoch of a slot that never had a leader. */
    static Epoch first(NodeStart leader) {
        return new Epoch(1, leader.start(), leader.server());
    }

    /** Returns the epoch that follows this one when the slot is given, or its leader starts. */
    Epoch next(NodeStart leader) {
        return after(1, leader, takeovers, leader.server() == server ? from : 0);
    }

    /**
     * Returns the epoch under which another node leads, since the leader of this one is forgotten.
     */
    Epoch nextAfterForgotten(NodeStart leader) {
        return after(CHANGES_WHEN_FORGOTTEN, leader, takeovers, 0);
    }

    /**
     * Returns the epoch under which another node takes the slot over, with copies of its queues.
     */
    Epoch takenOver(NodeStart leader) {
        return after(CHANGES_WHEN_TAKEN_OVER, leader, takeovers + 1, server);
    }

    private Epoch after(long more, NodeStart leader, int takeovers, int from) {
        return new Epoch(changes + more, leader.start(), leader.server(), takeovers, from);
    }

    /** Returns the incarnation of the node that leads under this epoch. */
    public NodeStart leader() {
        return new NodeStart(server, incarnation);
    }

    boolean isOf(NodeStart node) {
        return server == node.server() && incarnation == node.start();
    }

    @Override
    public int compareTo(Epoch other) {
        int order = Long.compare(changes, other.changes);
        order = order != 0 ? order : Long.compare(incarnation, other.incarnation);
        order = order != 0 ? order : Integer.compare(server, other.server);
        order = order != 0 ? order : Integer.compare(takeovers, other.takeovers);
        return order != 0 ? order : Integer.compare(from, other.from);
    }

    /**
     * Writes {@code changes varint | incarnation varint | server 3 | takeovers varint | from 3}.
     */
    public void write(ByteWriter to) {
        to.varint(changes).varint(incarnation).server3(server).varint(takeovers).server3(from);
    }

    /**
     * Reads an epoch as {@link #write} has written it.
     *
     * @throws IndexOutOfBoundsException when it is cut off
     */
    public static Epoch read(ByteReader from) {
        return new Epoch(
                from.varint(), from.varint(), from.server3(), from.smallInt(), from.server3());
    }

    @Override
    public String toString() {
        String term = changes + ":" + server + "/" + incarnation;
        return takeovers == 0 ? term : term + " taken over " + takeovers + " from " + from;
    }
}
