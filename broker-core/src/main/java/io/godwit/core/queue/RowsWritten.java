package io.godwit.core.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.shard.Sliced;
import java.util.LinkedHashMap;
import java.util.Map;

/** Entries that have become rows, on their way to the queues that hold them; some at a time. */
public final class RowsWritten implements Sliced {
    private final ShardQueues shard;
    private final QueuedMessage[] entries;
    private final int sliceSteps;
    private final Map<Appender, Long> upTo = new LinkedHashMap<>();
    private int next;

    /**
     * @param entries that this shard appended
     */
    public RowsWritten(ShardQueues shard, QueuedMessage[] entries, int sliceSteps) {
        this.shard = shard;
        this.entries = entries;
        this.sliceSteps = sliceSteps;
    }

    @Override
    public boolean slice() {
        int end = Math.min(entries.length, next + sliceSteps);
        for (; next < end; next++) {
            // An entry that was read back has no queue of this run: it was a row already.
            if (entries[next] instanceof QueueEntry entry
                    && entry.stored() == QueuedMessage.ROW
                    && entry.queue() instanceof Appender queue) {
                upTo.merge(queue, entry.messageId, Math::max);
            }
        }
        upTo.forEach((queue, id) -> queue.tellRowsWritten(shard.post, id));
        upTo.clear();
        return next == entries.length;
    }
}
