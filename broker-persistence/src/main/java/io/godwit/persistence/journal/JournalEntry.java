package io.godwit.persistence.journal;

import java.util.ArrayList;
import java.util.List;

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

    /** Of {@link #bytes} what is no queued message: it stays until the entry leaves the window. */
    public long recordBytes;

    /** How often what became void was taken out. */
    public int thinned;

    public JournalEntry(long position, long atMs) {
        this.position = position;
        this.atMs = atMs;
    }
}
