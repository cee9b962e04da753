package io.godwit.core.session;

import java.util.ArrayList;
import java.util.List;

/**
 * A hand-over seen from the new owner: which shards' markers are still to come, and what those
 * shards sent here directly meanwhile, perhaps before the session itself has come. Bounded by what
 * the mailboxes' high-water marks let in.
 */
final class HandOver {
    private final boolean[] markerMissing;
    private final List<List<SessionMail>> held = new ArrayList<>();
    private int missing;

    /**
     * @param oldOwner its own mail came in order with the session itself, so it sends no marker
     */
    HandOver(int shards, int oldOwner) {
        markerMissing = new boolean[shards];
        for (int i = 0; i < shards; i++) {
            held.add(new ArrayList<>(0));
            if (i != oldOwner) {
                markerMissing[i] = true;
                missing++;
            }
        }
    }

    boolean holds(int from, Rules rules) {
        return markerMissing[from] && rules.marker();
    }

    void hold(int from, SessionMail mail) {
        held.get(from).add(mail);
    }

    /**
     * @return what was held back from this shard, in order
     */
    List<SessionMail> markerPassed(int from) {
        if (markerMissing[from]) {
            markerMissing[from] = false;
            missing--;
        }
        return held.get(from);
    }

    boolean isComplete() {
        return missing == 0;
    }
}
