package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Unreadable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows that their owner has removed without reading them, until they are gone: pages and the sweep
 * of expired ones leave them out. As many as removals wait in the window, and those of rows that
 * can't be read now: they are tried again.
 */
public final class RowRemovals {
    /** Rows that wait to be tried again; others stay where they are. */
    private static final int AGAIN_MAX = 10_000;

    private final Map<RowId, Boolean> waiting = new ConcurrentHashMap<>();
    private final RowLookup lookup;
    private final Consumer<Runnable> afterPages;
    private List<RowId> ofRun = new ArrayList<>();
    private List<RowId> unread = new ArrayList<>();
    private boolean isAgainDue;

    /**
     * @param afterPages runs a task when the pages that are being read have been read
     */
    public RowRemovals(RowLookup lookup, Consumer<Runnable> afterPages) {
        this.lookup = lookup;
        this.afterPages = afterPages;
    }

    /** A shard has removed it. */
    public void add(long queueId, long clock, int server) {
        waiting.put(new RowId(queueId, clock, server), true);
    }

    /** Whether no page shows this row any more; any thread. */
    public boolean contains(long queueId, long clock, int server) {
        return !waiting.isEmpty() && waiting.containsKey(new RowId(queueId, clock, server));
    }

    /** What stands for the row, or null when it is gone, or in flight, or asked for in this run. */
    @Nullable QueuedMessage find(long queueId, long clock, int server) throws DiskFailure {
        return find(new RowId(queueId, clock, server));
    }

    private @Nullable QueuedMessage find(RowId id) throws DiskFailure {
        QueuedMessage entry;
        try {
            entry = lookup.read(id.queueId(), id.clock(), id.server());
        } catch (Unreadable e) {
            lookup.unreadable(id.queueId(), e);
            if (unread.size() < AGAIN_MAX) {
                unread.add(id);
            } else {
                ofRun.add(id);
            }
            return null;
        }
        ofRun.add(id);
        boolean isIdle =
                entry != null && entry.note instanceof RowNote note && note.place == RowNote.IDLE;
        return isIdle ? entry : null;
    }

    /** The next run tries again what could not be read. */
    public void tryAgain() {
        isAgainDue = true;
    }

    /** Gives what stands for the rows that can be read now, when it is time to look again. */
    void again(Consumer<QueuedMessage> to) throws DiskFailure {
        if (!isAgainDue || unread.isEmpty()) {
            return;
        }
        isAgainDue = false;
        List<RowId> due = unread;
        unread = new ArrayList<>();
        for (RowId each : due) {
            QueuedMessage row = find(each);
            if (row != null) {
                to.accept(row);
            }
        }
    }

    /** The run is written. A page that is being read may still have seen the rows. */
    void written() {
        if (!ofRun.isEmpty()) {
            List<RowId> gone = ofRun;
            ofRun = new ArrayList<>();
            afterPages.accept(() -> gone.forEach(waiting::remove));
        }
    }
}
