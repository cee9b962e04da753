package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import org.jspecify.annotations.Nullable;

/**
 * What the window keeps of the removal of an idle row that was read back, instead of its entry: a
 * client that drains a long queue has removed up to a million within the window, and all of them
 * live long enough for the collector to copy them several times.
 *
 * @param bytes what {@link QueuedMessage#bytes} says of its entry
 */
public record RemovedRow(long queueId, long clock, int server, int bytes) {
    private static final int[] NO_IDS = new int[0];

    /** Null of one of which more must be known to remove its row. */
    static @Nullable RemovedRow of(QueuedMessage entry) {
        return entry.note instanceof RowNote note && note.isAsRead()
                ? new RemovedRow(entry.queueId, entry.messageId, entry.server, note.bytes)
                : null;
    }

    /** An entry that stands for the row. */
    public QueuedMessage entry() {
        RowNote note = RowNote.idle(bytes);
        return KeptEntry.row(queueId, clock, server, null, 1, false, NO_IDS, note);
    }
}
