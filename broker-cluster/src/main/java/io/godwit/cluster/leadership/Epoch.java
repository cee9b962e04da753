package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * Names one term of leadership of a slot, and the leader. Of two epochs the higher counts: compared
 * by changes, then incarnation, then server id, so that no two leaders have the same.
 *
 * @param changes rises with each change of the slot's leader, from 1
 * @param incarnation of the leader's process, from 1
 * @param server id of the leader
 */
public record Epoch(long changes, long incarnation, int server) implements Comparable<Epoch> {
    /**
     * How many changes count when a leader is forgotten. It may not know of that, and goes on alone
     * with one change at each start: the cluster's epochs have to stay above these.
     */
    private static final long CHANGES_WHEN_FORGOTTEN = 1 << 20;

    /** Returns the first epoch of a slot that never had a leader. */
    static Epoch first(NodeStart leader) {
        return new Epoch(1, leader.start(), leader.server());
    }

    /** Returns the epoch that follows this one under another leader. */
    Epoch next(NodeStart leader) {
        return new Epoch(changes + 1, leader.start(), leader.server());
    }

    /**
     * Returns the epoch under which another node leads, since the leader of this one is forgotten.
     */
    Epoch nextAfterForgotten(NodeStart leader) {
        return new Epoch(changes + CHANGES_WHEN_FORGOTTEN, leader.start(), leader.server());
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
        return order != 0 ? order : Integer.compare(server, other.server);
    }

    /** Writes {@code changes varint | incarnation varint | server 3}. */
    public void write(ByteWriter to) {
        to.varint(changes).varint(incarnation).server3(server);
    }

    /**
     * Reads an epoch as {@link #write} has written it.
     *
     * @throws IndexOutOfBoundsException when it is cut off
     */
    public static Epoch read(ByteReader from) {
        return new Epoch(from.varint(), from.varint(), from.server3());
    }

    @Override
    public String toString() {
        return changes + ":" + server + "/" + incarnation;
    }
}
