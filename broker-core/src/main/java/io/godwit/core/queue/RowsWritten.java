package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.shard.Sliced;
import java.util.LinkedHashMap;
import java.util.Map;

/** Entries that have become rows, on their way to the queues that hold them; some at a time. */
public final class RowsWritten implements Sliced {
    private final ShardQueues shard;
    private final QueuedMessage[] entries;
    private final int sliceSteps;
    private final Map<Appender, HybridId> upTo = new LinkedHashMap<>();

    private int next;

    /**
     * @param entries that this shard appended
     */
    public RowsWritten(ShardQueues shard, QueuedMessage[] entries, int sliceSteps) {
        this.shard = shard;
        this.entries = entries;
        this.sliceSteps = sliceSteps;
    }

    private static HybridId later(HybridId a, HybridId b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    @Override
    public boolean slice() {
        int end = Math.min(entries.length, next + sliceSteps);
        for (; next < end; next++) {
            // An entry that was read back has no queue of this run: it was a row already.
            if (entries[next] instanceof QueueEntry entry
                    && entry.stored() == QueuedMessage.ROW
                    && entry.queue() instanceof Appender queue) {
                upTo.merge(queue, entry.id(), RowsWritten::later);
            }
        }
        upTo.forEach((queue, id) -> queue.tellRowsWritten(shard.post, id));
        upTo.clear();
        return next == entries.length;
    }
}
