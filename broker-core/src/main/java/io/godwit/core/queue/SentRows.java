package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rows that an earlier start had sent, of one queue: each may have an idle row as well, which its
 * reader has to pass over.
 */
final class SentRows {
    private @Nullable TreeSet<HybridId> ids;

    void add(QueueEntry entry) {
        TreeSet<HybridId> all = ids;
        if (all == null) {
            all = new TreeSet<>();
            ids = all;
        }
        all.add(entry.id());
    }

    boolean contains(long messageId, int server) {
        return ids != null && ids.contains(new HybridId(messageId, server));
    }

    /** Idle rows up to this id are never looked at again. */
    void onCursor(IdMark cursor) {
        if (ids != null && !cursor.isBelow(ids.last())) {
            ids = null;
        }
    }
}
