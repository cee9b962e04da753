package io.godwit.core.queue;

import io.godwit.core.store.ExpiredRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Message ids of rows that were removed unread a short while ago: the store may tell of them, and
 * show them in a page, until their removal has left its window. Sorted batches of two generations,
 * each forgotten after {@link #KEEP_MS} to twice that.
 */
final class RecentIds {
    /** Longer than any window of a store. */
    private static final long KEEP_MS = 120_000;

    /** Ids in the order of their clocks, without an object each. */
    private static final class Batch {
        private final long[] clocks;
        private final int[] servers;

        Batch(List<ExpiredRow> rows) {
            List<ExpiredRow> sorted = new ArrayList<>(rows);
            sorted.sort(Comparator.comparingLong(ExpiredRow::messageId));
            clocks = new long[sorted.size()];
            servers = new int[sorted.size()];
            for (int i = 0; i < clocks.length; i++) {
                clocks[i] = sorted.get(i).messageId();
                servers[i] = sorted.get(i).server();
            }
        }

        boolean contains(long clock, int server) {
            int at = Arrays.binarySearch(clocks, clock);
            int first = at;
            while (first > 0 && clocks[first - 1] == clock) {
                first--; // Of several with this clock the search finds any.
            }
            for (int i = first; i >= 0 && i < clocks.length && clocks[i] == clock; i++) {
                if (servers[i] == server) {
                    return true;
                }
            }
            return false;
        }
    }

    private List<Batch> young = new ArrayList<>(1);
    private List<Batch> old = List.of();
    private long youngSinceMs;

    void add(List<ExpiredRow> rows, long nowMs) {
        if (nowMs - youngSinceMs > KEEP_MS) {
            old = nowMs - youngSinceMs > 2 * KEEP_MS ? List.of() : young;
            young = new ArrayList<>(1);
            youngSinceMs = nowMs;
        }
        young.add(new Batch(rows));
    }

    int size() {
        return size(young) + size(old);
    }

    private static int size(List<Batch> batches) {
        return batches.stream().mapToInt(each -> each.clocks.length).sum();
    }

    boolean contains(long clock, int server) {
        return contains(young, clock, server) || contains(old, clock, server);
    }

    private static boolean contains(List<Batch> batches, long clock, int server) {
        for (int i = 0; i < batches.size(); i++) {
            if (batches.get(i).contains(clock, server)) {
                return true;
            }
        }
        return false;
    }
}
