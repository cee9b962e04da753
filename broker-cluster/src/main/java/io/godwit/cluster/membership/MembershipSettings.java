package io.godwit.cluster.membership;

/**
 * Whom a node lets in.
 *
 * @param cluster name of the cluster
 * @param clockOffsetMaxMs how far another node's clock may be ahead
 * @param peerTimeoutMs a process that was heard within it is alive
 * @param forgetAfterMs a member that was not heard for so long is forgotten; 0 = never
 * @param protocolMin the lowest version of messages between nodes that is spoken
 * @param protocolMax the highest
 */
public record MembershipSettings(
        String cluster,
        long clockOffsetMaxMs,
        long peerTimeoutMs,
        long forgetAfterMs,
        int protocolMin,
        int protocolMax) {
    /** The version of this program's messages between nodes. */
    public static final int PROTOCOL = 11;

    /** The earliest one that it also speaks: a node of 6 does not know a publish without names. */
    public static final int PROTOCOL_MIN = 6;
}
