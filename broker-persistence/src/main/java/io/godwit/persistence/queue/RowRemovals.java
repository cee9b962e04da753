package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Unreadable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows that their owner has removed without reading them, until they are gone: pages and the sweep
 * of expired ones leave them out. As many as removals wait in the window, and those of rows that
 * can't be read now, which are {@linkplain DeferredRows deferred}.
 */
public final class RowRemovals {
    private final Map<RowId, Boolean> waiting = new ConcurrentHashMap<>();
    private final RowLookup lookup;
    private final DeferredRows deferred;
    private final Consumer<Runnable> afterPages;
    private List<RowId> ofRun = new ArrayList<>();

    /** Tells what a run has done to rows before it is written. */
    interface Run {
        /** Whether the row of an entry that is in flight is to become idle again. */
        boolean isIdleAgain(QueuedMessage row);
    }

    /**
     * @param deferred by earlier starts, too
     * @param afterPages runs a task when the pages that are being read have been read
     */
    public RowRemovals(RowLookup lookup, DeferredRows deferred, Consumer<Runnable> afterPages) {
        this.lookup = lookup;
        this.deferred = deferred;
        this.afterPages = afterPages;
        deferred.rows().forEach(each -> waiting.put(each, true));
    }

    /** A shard has removed it. */
    public void add(long queueId, long clock, int server) {
        waiting.put(new RowId(queueId, clock, server), true);
    }

    /** Whether no page shows this row any more; any thread. */
    public boolean contains(long queueId, long clock, int server) {
        return !waiting.isEmpty() && waiting.containsKey(new RowId(queueId, clock, server));
    }

    /**
     * What stands for the row, or null when it is gone, or in flight, or asked for in this run, or
     * can't be read.
     */
    @Nullable QueuedMessage find(Batch batch, Run run, long queueId, long clock, int server)
            throws DiskFailure {
        RowId id = new RowId(queueId, clock, server);
        try {
            return read(id, run);
        } catch (Unreadable e) {
            lookup.unreadable(queueId, e);
            if (!deferred.remove(batch, id)) {
                ofRun.add(id); // It stays where it is.
            }
            return null;
        }
    }

    /**
     * Gives what stands for the rows that were to go and can be read now; of a queue with one that
     * can't, no more are tried.
     */
    void again(Batch batch, Consumer<QueuedMessage> to) throws DiskFailure {
        Set<Long> unreadable = new HashSet<>();
        for (RowId each : deferred.rows()) {
            if (unreadable.contains(each.queueId())) {
                continue;
            }
            try {
                QueuedMessage row = read(each, none -> false);
                deferred.rowDone(batch, each);
                if (row != null) {
                    to.accept(row);
                }
            } catch (Unreadable e) {
                unreadable.add(each.queueId());
                lookup.unreadable(each.queueId(), e);
            }
        }
    }

    private @Nullable QueuedMessage read(RowId id, Run run) throws DiskFailure {
        QueuedMessage entry = lookup.read(id.queueId(), id.clock(), id.server());
        ofRun.add(id);
        if (entry == null || !(entry.note instanceof RowNote note)) {
            return null;
        }
        return note.place == RowNote.IDLE || run.isIdleAgain(entry) ? entry : null;
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
