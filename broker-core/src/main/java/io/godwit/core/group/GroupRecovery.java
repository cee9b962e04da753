package io.godwit.core.group;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What members of a shared group had in flight when the broker stopped. It is read part by part
 * after the start, and until all of it was, nothing is delivered: who has it must be known first.
 */
final class GroupRecovery {
    /** Parts whose entries in flight have not been read. */
    private int unread;

    private final Set<HybridId> messageIds = new HashSet<>();

    /** One part had this in flight; it will be read. */
    void expect(List<KeptInFlight> sent) {
        if (!sent.isEmpty()) {
            unread++;
            sent.forEach(each -> messageIds.add(each.id()));
        }
    }

    boolean isUnderWay() {
        return unread > 0;
    }

    /** Whether the row of this id was in flight; known from the start on. */
    boolean wasInFlight(long messageId, int server) {
        return !messageIds.isEmpty() && messageIds.contains(new HybridId(messageId, server));
    }

    /**
     * One part was read.
     *
     * @return whether it was the last
     */
    boolean partRead() {
        unread--;
        return unread == 0;
    }
}
