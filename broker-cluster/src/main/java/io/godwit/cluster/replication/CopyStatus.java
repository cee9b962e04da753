package io.godwit.cluster.replication;

import java.util.List;

/**
 * How the copies of a node's queues stand.
 *
 * @param copies that each queue is to have, this node's included
 * @param sets copy sets of this node
 * @param wholeSets copy sets that have all their copies, whole
 * @param queuesMissing queues of the other sets that were not filled yet
 * @param leftMs about how long it takes to fill them; -1: not known, nobody is there
 * @param followers the nodes that have copies, by server id
 * @param records the record of each copy set that was made last, by copy set
 * @param isOutvoted acknowledgements wait: members that are not heard may have taken over, or may
 *     be about to
 */
public record CopyStatus(
        int copies,
        int sets,
        int wholeSets,
        long queuesMissing,
        long leftMs,
        List<Follower> followers,
        List<CopyRecord> records,
        boolean isOutvoted) {
    static final CopyStatus NONE = new CopyStatus(1, 0, 0, 0, 0, List.of(), List.of(), false);

    public CopyStatus {
        followers = List.copyOf(followers);
        records = List.copyOf(records);
    }

    /** Bytes that followers have not confirmed. */
    public long lagBytes() {
        return followers.stream().mapToLong(Follower::unconfirmedBytes).sum();
    }

    /** Whether every copy set has all its copies. */
    public boolean isWhole() {
        return wholeSets == sets;
    }

    /**
     * A node that follows.
     *
     * @param sets copy sets that it follows
     * @param wholeSets of these, those of which it has everything
     * @param filledBytes bytes that it was filled with by this stream
     * @param unconfirmedParts parts that it has not confirmed
     * @param unconfirmedBytes their bytes
     * @param isFull it has an alarm of disk or memory, so publishers here wait
     * @param lastPosition position of the last part of its stream
     * @param confirmedPosition position up to which it has confirmed
     */
    public record Follower(
            int server,
            int sets,
            int wholeSets,
            long filledBytes,
            long unconfirmedParts,
            long unconfirmedBytes,
            boolean isFull,
            long lastPosition,
            long confirmedPosition) {}
}
