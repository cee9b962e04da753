package io.godwit.persistence.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.persistence.disk.DiskFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rows that their owner has removed without reading them, until they are gone: pages and the sweep
 * of expired ones leave them out. As many as removals wait in the window.
 */
public final class RowRemovals {
    private final Map<RowId, Boolean> waiting = new ConcurrentHashMap<>();
    private final RowLookup lookup;
    private final Consumer<Runnable> afterPages;
    private List<RowId> ofRun = new ArrayList<>();

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
        RowId id = new RowId(queueId, clock, server);
        ofRun.add(id);
        QueuedMessage entry = lookup.find(queueId, clock, server);
        boolean isIdle =
                entry != null && entry.note instanceof RowNote note && note.place == RowNote.IDLE;
        return isIdle ? entry : null;
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
