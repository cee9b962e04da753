package io.godwit.persistence.queue;

import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds idle rows whose time is over and tells their owners, a page at a time; on the row worker.
 * The owner removes: until it has, they are told again.
 */
public final class ExpirySweep {
    private static final int PAGE = 1000;

    private final Disk disk;
    private final TimeSource time;
    private final RowRemovals removals;
    private final StoreListener listener;

    /** Where the page before has ended. */
    private byte @Nullable [] next;

    public ExpirySweep(Disk disk, TimeSource time, RowRemovals removals, StoreListener listener) {
        this.disk = disk;
        this.time = time;
        this.removals = removals;
        this.listener = listener;
    }

    /**
     * Tells of one page.
     *
     * @return whether there are more
     */
    public boolean page() throws DiskFailure {
        Map<Long, List<Long>> found = new LinkedHashMap<>();
        byte[] from = next == null ? new byte[8] : next;
        byte[] to = Keys.position(time.wallMs() + 1);
        int rows = 0;
        byte[] last = null;
        try (Cursor cursor = disk.scan(Family.EXPIRY, from, to)) {
            while (rows < PAGE && cursor.next()) {
                last = cursor.key();
                long queueId = Keys.longAt(last, 8);
                long messageId = Keys.longAt(last, 16);
                rows++;
                if (!removals.contains(queueId, messageId)) {
                    found.computeIfAbsent(queueId, any -> new ArrayList<>()).add(messageId);
                }
            }
        }
        next = rows < PAGE || last == null ? null : Keys.successor(last);
        found.forEach((queueId, ids) ->
                listener.onExpired(queueId, ids.stream().mapToLong(Long::longValue).toArray()));
        return next != null;
    }
}
