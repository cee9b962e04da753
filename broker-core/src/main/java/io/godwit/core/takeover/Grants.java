package io.godwit.core.takeover;

import io.godwit.core.session.Session;

/** Carries out what a registrar has decided. */
interface Grants {
    /** Grants a claim for which there is no session: the claimant makes one. */
    void grant(Claim claim);

    /** Tells the claimant that its claim is not carried out, as it has asked for. */
    void withdrawn(Claim claim);

    /** Has a session go to the claimant. */
    void recall(Claim claim, Session session);
}
