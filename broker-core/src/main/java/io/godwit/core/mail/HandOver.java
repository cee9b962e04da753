package io.godwit.core.mail;

import java.util.ArrayList;
import java.util.List;

/**
 * A hand-over seen from the new owner: which shards' markers are still to come, and what came here
 * directly meanwhile, perhaps before the session itself. It is held back until the last marker, in
 * the order in which it came: what one shard sends here may follow from what another has sent (a
 * publish behind a retained one that the index shard routes). Bounded by what the mailboxes'
 * high-water marks let in.
 */
public final class HandOver {
    private final boolean[] markerMissing;
    private final List<SessionMail<?>> held = new ArrayList<>();
    private int missing;

    /**
     * @param oldOwner sends no marker: what it forwards comes in order with the session itself
     */
    HandOver(int shards, int oldOwner) {
        markerMissing = new boolean[shards];
        for (int i = 0; i < shards; i++) {
            if (i != oldOwner) {
                markerMissing[i] = true;
                missing++;
            }
        }
    }

    void hold(SessionMail<?> mail) {
        held.add(mail);
    }

    void markerPassed(int from) {
        if (markerMissing[from]) {
            markerMissing[from] = false;
            missing--;
        }
    }

    boolean isComplete() {
        return missing == 0;
    }

    /** The mail that was held back, in the order in which it came. */
    List<SessionMail<?>> held() {
        return held;
    }
}
