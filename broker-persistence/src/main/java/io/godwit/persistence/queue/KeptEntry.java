package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import org.jspecify.annotations.Nullable;

/** An entry that nobody has in memory: read from the journal, or standing for a row. */
public final class KeptEntry extends QueuedMessage {
    private KeptEntry(
            long queueId,
            long messageId,
            int server,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids) {
        super(queueId, messageId, message, qos, retain, ids);
        this.server = server;
    }

    /** Makes the entry of an append in the journal. */
    public static KeptEntry journaled(
            long queueId,
            long messageId,
            int server,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids) {
        KeptEntry entry = new KeptEntry(queueId, messageId, server, message, qos, retain, ids);
        entry.stored(FREE, JOURNALED);
        return entry;
    }

    /** Makes the entry that stands for a row which can't be read. */
    static KeptEntry unread(long queueId, long messageId, int server) {
        RowNote note = new RowNote();
        note.isUnread = true;
        return row(queueId, messageId, server, null, 1, false, new int[0], note);
    }

    /** Makes the entry that stands for a row, with what the row thread remembers of it. */
    static KeptEntry row(
            long queueId,
            long messageId,
            int server,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids,
            RowNote note) {
        KeptEntry entry = new KeptEntry(queueId, messageId, server, message, qos, retain, ids);
        entry.stored(FREE, ROW);
        entry.note = note;
        return entry;
    }
}
