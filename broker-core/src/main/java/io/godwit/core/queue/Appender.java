package io.godwit.core.queue;

import io.godwit.core.id.HybridId;

/** A queue that has appended entries, and may have moved to another shard since. */
interface Appender {
    /** The outcome of an append has come to the shard that made it. */
    void tellAppendDone(QueuePost appendedAt, QueueEntry entry, boolean isKept);

    /** Entries that this shard has appended are rows. */
    void tellRowsWritten(QueuePost appendedAt, HybridId upTo);

    /** The append of an entry is kept, or never will be: on the shard that has the queue. */
    void onCommitted(QueueEntry entry, boolean isKept);
}
