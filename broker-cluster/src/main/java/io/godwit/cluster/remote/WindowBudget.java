package io.godwit.cluster.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Bounds what all windows of a shard and direction may take together. Every channel has its first
 * window; beyond that they share what the account gives them. A window that nothing came by for a
 * second shrinks, so that others may grow; during a memory alarm none grows and all shrink.
 */
final class WindowBudget {
    private static final long LOOK_MS = 1_000;

    private final Marks marks;
    private final ChannelAccount account;
    private final LongSupplier max;
    private long reserved;
    private int channels;
    private List<ChannelEnd> grown = new ArrayList<>(0);
    private long lookedMs;

    /**
     * @param max bytes that all windows together may take
     */
    WindowBudget(Marks marks, ChannelAccount account, LongSupplier max) {
        this.marks = marks;
        this.account = account;
        this.max = max;
    }

    Marks marks() {
        return marks;
    }

    /** Bytes of all windows, those included that are told to shrink and have not answered. */
    long reserved() {
        return reserved;
    }

    /** Adds the first window of a channel. */
    void begin() {
        reserved += marks.first();
        channels++;
    }

    /** Channels that have a window. */
    int channels() {
        return channels;
    }

    /** Removes the window of a channel that has ended. */
    void end(long bytes) {
        reserved -= bytes;
        channels--;
    }

    /** Reserves so many bytes more. @return false when a window may not grow now */
    boolean grow(long bytes) {
        if (account.isAlarm() || reserved + bytes > max.getAsLong()) {
            return false;
        }
        reserved += bytes;
        return true;
    }

    /** Gives back what a window has shrunk by. */
    void release(long bytes) {
        reserved -= bytes;
    }

    /** Adds a channel whose window has grown; once until it has shrunk. */
    void add(ChannelEnd channel) {
        grown.add(channel);
    }

    /** Looks which windows are to shrink; called about every 100 ms. */
    void tick(long nowMs) {
        boolean alarm = account.isAlarm();
        if (grown.isEmpty() || !alarm && nowMs - lookedMs < LOOK_MS) {
            return;
        }
        lookedMs = nowMs;
        List<ChannelEnd> kept = new ArrayList<>(grown.size());
        for (ChannelEnd each : grown) {
            if (!each.shrinkIf(alarm)) {
                kept.add(each);
            }
        }
        grown = kept;
    }
}
