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

    /** Accounted bytes of the messages that it holds in memory. */
    public long bytes;

    /** Inbound QoS 2 PUBLISHes in it; counted when it comes into the window. */
    public int inbound;

    /** A queue is adopted in it: what stands before has to become rows. */
    public boolean adopts;

    /** How often what became void was taken out. */
    public int thinned;

    public JournalEntry(long position, long atMs) {
        this.position = position;
        this.atMs = atMs;
    }
}
