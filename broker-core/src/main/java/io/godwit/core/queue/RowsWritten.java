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

    /**
     * Of entries that came with a page from another node: they become rows below others that were
     * rows before them, of which the highest says nothing.
     */
    private final Map<Appender, HybridId> arrivedUpTo = new LinkedHashMap<>(0);

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

    private void tell(Map<Appender, HybridId> of) {
        of.forEach((queue, id) -> queue.tellRowsWritten(shard.post, id));
        of.clear();
    }

    @Override
    public boolean slice() {
        int end = Math.min(entries.length, next + sliceSteps);
        for (; next < end; next++) {
            // An entry that was read back has no queue of this run: it was a row already.
            if (entries[next] instanceof QueueEntry entry
                    && entry.stored() == QueuedMessage.ROW
                    && entry.queue() instanceof Appender queue) {
                (entry.arrivedBehind() == null ? upTo : arrivedUpTo)
                        .merge(queue, entry.id(), RowsWritten::later);
            }
        }
        tell(arrivedUpTo);
        tell(upTo);
        return next == entries.length;
    }
}
