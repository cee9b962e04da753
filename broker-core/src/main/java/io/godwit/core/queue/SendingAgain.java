package io.godwit.core.queue;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * After a reconnect: what is in flight and not sent again yet. It goes in the order of the ids; but
 * where one is released the turn is that of the one whose PUBREC came first among those: PUBREL
 * leaves in the order of the PUBRECs [MQTT-4.6.0-4].
 */
final class SendingAgain {
    private final ArrayDeque<QueueEntry> entries;
    private int left;

    /**
     * @param inOrder all that is in flight
     * @param released those of them that PUBREC came for, in that order; null for none
     */
    SendingAgain(QueueEntry[] inOrder, @Nullable ArrayDeque<QueueEntry> released) {
        entries = new ArrayDeque<>(inOrder.length);
        left = inOrder.length;
        Iterator<QueueEntry> byPubRec =
                released == null ? Collections.emptyIterator() : released.iterator();
        for (QueueEntry entry : inOrder) {
            entry.again = true;
            boolean isReleased = entry.state == QueueEntry.RELEASED;
            entries.add(isReleased && byPubRec.hasNext() ? byPubRec.next() : entry);
        }
    }

    /** How many are not sent again yet. */
    int left() {
        return left;
    }

    /** The next, or null when all were sent. */
    @Nullable QueueEntry peek() {
        QueueEntry entry;
        while ((entry = entries.peek()) != null && !entry.again) {
            entries.remove(); // Acknowledged before it was sent again.
        }
        return entry;
    }

    /** It is sent again, or is in flight no more; or was not to be sent again. */
    void took(QueueEntry entry) {
        if (entry.again) {
            entry.again = false;
            left--;
        }
    }
}
