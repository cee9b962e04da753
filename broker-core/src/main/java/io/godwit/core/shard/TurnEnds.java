package io.godwit.core.shard;

import java.util.ArrayList;

/** The work that is to be done at the end of a turn: mostly connections with bytes to flush. */
final class TurnEnds {
    /**
     * Turn ends that one slice of work may ask for: each flush is a system call. More would be
     * better for throughput, fewer for the others.
     */
    private static final int SLICE = 512;

    /** Bytes of large payloads after which a slice ends, too: the kernel copies them. */
    private static final int SLICE_BYTES = 128 << 10;

    private ArrayList<TurnEnd> items = new ArrayList<>();
    private ArrayList<TurnEnd> answers = new ArrayList<>();
    private ArrayList<TurnEnd> spare = new ArrayList<>();
    private int limit = SLICE;
    private long bytes;

    void add(TurnEnd item) {
        items.add(item);
    }

    /** It has nothing but answers, which come behind everything else. */
    void addAnswer(TurnEnd item) {
        answers.add(item);
    }

    /** Begins a slice of work. */
    void beginSlice() {
        limit = items.size() + answers.size() + SLICE;
        bytes = 0;
    }

    /** So many bytes were written that are flushed soon. */
    void wrote(int length) {
        bytes += length;
    }

    /** Whether the slice has asked for as many as it may. */
    boolean isSliceFull() {
        return items.size() + answers.size() >= limit || bytes >= SLICE_BYTES;
    }

    /** Runs all turn ends, also those that are asked for meanwhile; returns how many there were. */
    int run() {
        int count = 0;
        while (!items.isEmpty() || !answers.isEmpty()) {
            ArrayList<TurnEnd> now;
            if (items.isEmpty()) {
                now = answers;
                answers = spare;
            } else {
                now = items;
                items = spare;
            }
            count += now.size();
            for (int i = 0; i < now.size(); i++) {
                now.get(i).onTurnEnd();
            }
            now.clear();
            spare = now;
        }
        return count;
    }
}
