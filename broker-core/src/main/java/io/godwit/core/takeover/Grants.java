package io.godwit.core.takeover;

/** Carries out what a registrar has decided. */
interface Grants {
    /** Grants a claim for which there is no session: the claimant makes one. */
    void grant(Claim claim);

    /** Has a session of this node go to the claimant. */
    void recall(Claim claim, Holder.Here holder);

    /** Has a session of another node go to the claimant. */
    void recall(Claim claim, Holder.Elsewhere holder);
}
