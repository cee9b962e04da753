package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;

/** An entry's place, whatever its status. */
public record RowId(long queueId, long clock, int server) {
    public static RowId of(QueuedMessage entry) {
        return new RowId(entry.queueId, entry.messageId, entry.server);
    }
}
