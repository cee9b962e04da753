package io.godwit.core.takeover;

/** What a registrar has decided; whoever carries it out. */
interface Grants {
    /** There is no session: the claimant makes one. */
    void grant(Claim claim);

    /** A shard of this node has a session, which goes to the claimant. */
    void recall(Claim claim, Holder.Here holder);

    /** Another node has a session, which goes to the claimant. */
    void recall(Claim claim, Holder.Elsewhere holder);
}
