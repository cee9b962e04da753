package io.godwit.core.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Message ids of rows that were removed unread a short while ago: the store may tell of them, and
 * show them in a page, until their removal has left its window. Sorted batches of two generations,
 * each forgotten after {@link #KEEP_MS} to twice that.
 */
final class RecentIds {
    /** Longer than any window of a store. */
    private static final long KEEP_MS = 120_000;

    private List<long[]> young = new ArrayList<>(1);
    private List<long[]> old = List.of();
    private long youngSinceMs;

    /**
     * @param ids as many as {@code count} are taken
     */
    void add(long[] ids, int count, long nowMs) {
        if (nowMs - youngSinceMs > KEEP_MS) {
            old = nowMs - youngSinceMs > 2 * KEEP_MS ? List.of() : young;
            young = new ArrayList<>(1);
            youngSinceMs = nowMs;
        }
        long[] sorted = Arrays.copyOf(ids, count);
        Arrays.sort(sorted);
        young.add(sorted);
    }

    boolean contains(long id) {
        return contains(young, id) || contains(old, id);
    }

    private static boolean contains(List<long[]> batches, long id) {
        for (int i = 0; i < batches.size(); i++) {
            if (Arrays.binarySearch(batches.get(i), id) >= 0) {
                return true;
            }
        }
        return false;
    }
}
