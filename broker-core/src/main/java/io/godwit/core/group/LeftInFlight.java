package io.godwit.core.group;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the members of a shared group had in flight when the broker stopped, or at another leader of
 * one of its parts: which rows, and whether all of it has been read.
 */
final class LeftInFlight {
    /** Queues whose entries in flight have not been read. */
    private int unread;

    private final Set<HybridId> messageIds = new HashSet<>();

    /** One queue had this in flight; it will be read. */
    void expect(List<KeptInFlight> sent) {
        if (!sent.isEmpty()) {
            unread++;
            sent.forEach(each -> messageIds.add(each.id()));
        }
    }

    /** One queue more was read. */
    void queueRead() {
        unread--;
    }

    boolean isRead() {
        return unread == 0;
    }

    /** Whether the row of this id was in flight; known from the start on. */
    boolean contains(long messageId, int server) {
        return !messageIds.isEmpty() && messageIds.contains(new HybridId(messageId, server));
    }
}
