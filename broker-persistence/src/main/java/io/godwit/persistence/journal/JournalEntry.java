package io.godwit.persistence.journal;

import io.godwit.persistence.disk.DiskFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What stands in the journal under one position, as it waits in memory. */
public final class JournalEntry {
    public final long position;

    /** Monotonic milliseconds. */
    public final long atMs;

    public final List<OpList> lists = new ArrayList<>(2);

    /** Operations; kept up to date by whoever takes some out. */
    public int ops;

    /** Bytes of the messages and records that it holds in memory. */
    public long bytes;

    /**
     * The part of {@link #bytes} that is no queued message: it stays until the entry leaves the
     * window.
     */
    public long recordBytes;

    /** It holds parts of other nodes' streams. */
    public boolean isForeign;

    /** The leader of a queue changes in it: what stands before has to become rows. */
    public boolean changesLeader;

    /** A mark is nothing of the journal's: its place is behind everything up to its position. */
    public @Nullable Mark mark;

    /** Something that is to be done at a place of the journal, on the row worker. */
    public interface Mark {
        /**
         * @param position up to which everything has arrived
         * @param window what of it waits in memory
         */
        void reached(long position, Iterable<JournalEntry> window) throws DiskFailure;

        /** The store has failed, or was closed, before. */
        void lost(Throwable cause);
    }

    /** Whether somebody waits for it. */
    public boolean isUrgent() {
        return changesLeader || mark != null;
    }

    /** How often what became void was taken out. */
    public int thinned;

    private int opsAtFirst;

    /** Most of it is for clients that are away, or slow: to wait on would only take memory. */
    private boolean isStaying;

    /** It has come into the window. */
    public void arrived() {
        opsAtFirst = ops;
    }

    /** It has waited for long enough to tell whether it will be void. */
    public void judge() {
        isStaying = ops > opsAtFirst / 2;
    }

    public boolean isStaying() {
        return isStaying;
    }

    public JournalEntry(long position, long atMs) {
        this.position = position;
        this.atMs = atMs;
    }
}
