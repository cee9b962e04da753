package io.godwit.core.takeover;

/** Carries out what a registrar has decided. */
interface Grants {
    /**
     * Grants a claim for which there is no session: the claimant makes one.
     *
     * @param changes how often the session of this client id has changed its home then
     */
    void grant(Claim claim, long changes);

    /** Refuses a claim: the session has a home that is out of reach. */
    void refuse(Claim claim);

    /** Tells the claimant that its claim is not carried out, as it has asked for. */
    void withdrawn(Claim claim);

    /** Has a session of this node go to the claimant. */
    void recall(Claim claim, Holder.Here holder);

    /** Tells a claim of another node that this one has no session. */
    void nothing(Claim claim);
}
