package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue's stay on one shard: the outcome of what was appended there comes in there, though the
 * queue may have moved on. Shared by all these entries, since each is paid for by every message.
 * Only the thread of that shard touches what changes here.
 */
final class QueueStay {
    final Appender queue;
    private final QueuePost shard;

    /** Who waits for entries whose queue has left the shard: they belong to it. */
    private @Nullable Map<QueueEntry, Receipt> leftBehind;

    QueueStay(Appender queue, QueuePost shard) {
        this.queue = queue;
        this.shard = shard;
    }

    void leaveBehind(QueueEntry entry, Receipt waiting) {
        Map<QueueEntry, Receipt> all = leftBehind;
        if (all == null) {
            all = new HashMap<>();
            leftBehind = all;
        }
        all.put(entry, waiting);
    }

    /** The append of an entry is committed, or never will be. */
    void onCommit(QueueEntry entry, boolean isKept) {
        Receipt here = leftBehind == null ? null : leftBehind.remove(entry);
        if (here != null) {
            here.targetDone(isKept);
        }
        queue.tellAppendDone(shard, entry, isKept);
    }
}
