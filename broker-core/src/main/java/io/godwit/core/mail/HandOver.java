package io.godwit.core.mail;

import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;

/**
 * A hand-over seen from the new owner: which shards' markers are still to come, and what came here
 * directly meanwhile, perhaps before the session itself. It is held back until the last marker, in
 * the order in which it came: what one shard sends here may follow from what another has sent (a
 * publish behind a retained one that the index shard routes). Bounded by what the mailboxes'
 * high-water marks let in.
 *
 * <p>After the last marker it is delivered in slices, and what comes meanwhile is held behind it.
 */
public final class HandOver {
    /** Units of work (messages) that one slice delivers. */
    private static final int SLICE = 500;

    private final boolean[] markerMissing;
    private final ArrayDeque<SessionMail<?>> held = new ArrayDeque<>();
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

    /** Whether the mail is one that has to wait. */
    boolean holds(SessionMail<?> mail, Shard at) {
        return !(mail.isForwarded() && at.rules().holds(Rule.FORWARDED_FIRST))
                && at.rules().holds(Rule.MARKER);
    }

    void hold(SessionMail<?> mail) {
        held.add(mail);
    }

    /** Notes a marker. @return whether it was the last one */
    boolean markerPassed(int from) {
        if (!markerMissing[from]) {
            return false;
        }
        markerMissing[from] = false;
        missing--;
        return missing == 0;
    }

    /**
     * Delivers a slice of the mail that was held back, in the order in which it came.
     *
     * @return whether nothing is held any more
     */
    boolean deliver(Shard at) {
        int budget = SLICE;
        while (budget > 0 && !at.hasMuchToFlush()) {
            SessionMail<?> mail = held.peek();
            if (mail == null) {
                return true;
            }
            boolean done = mail.deliver(at);
            budget -= mail.work();
            if (done) {
                held.remove();
                at.unhold(mail);
            }
        }
        return held.isEmpty();
    }
}
