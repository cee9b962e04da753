package io.godwit.core.queue;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rows that an earlier start had sent, of one queue: each may have an idle row as well, which its
 * reader has to pass over.
 */
final class SentRows {
    private @Nullable Set<Long> ids;
    private long upTo;

    void add(long messageId) {
        Set<Long> all = ids;
        if (all == null) {
            all = new HashSet<>();
            ids = all;
        }
        all.add(messageId);
        upTo = Math.max(upTo, messageId);
    }

    boolean contains(long messageId) {
        return ids != null && ids.contains(messageId);
    }

    /** Idle rows up to this id are never looked at again. */
    void onCursor(long cursor) {
        if (ids != null && cursor >= upTo) {
            ids = null;
        }
    }
}
