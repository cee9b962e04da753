package io.godwit.cluster.membership;

/**
 * Whom a node lets in.
 *
 * @param cluster name of the cluster
 * @param clockOffsetMaxMs how far another node's clock may be ahead
 * @param peerTimeoutMs a process that was heard within it is alive
 * @param protocolMin the lowest version of messages between nodes that is spoken
 * @param protocolMax the highest
 */
public record MembershipSettings(
        String cluster,
        long clockOffsetMaxMs,
        long peerTimeoutMs,
        int protocolMin,
        int protocolMax) {
    /** The version of this program's messages between nodes. */
    public static final int PROTOCOL = 5;
}
