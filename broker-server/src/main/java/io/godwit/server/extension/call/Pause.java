package io.godwit.server.extension.call;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Holds what an extension would be asked about while it is stopped and another one takes its place.
 * What waits is bounded in number, bytes and time. Any thread.
 */
final class Pause {
    private final CallSettings settings;

    /** Guarded by this, as all below. */
    private final Queue<Entry> waiting = new ArrayDeque<>();

    private long bytes;
    private boolean hasEnded;
    private @Nullable ExtensionHooks next;

    private record Entry(Held held, long bytes, long sinceNanos) {}

    /** Something about which nobody was asked yet. */
    interface Held {
        /**
         * Begins.
         *
         * @param next those who are asked now; null: the extension does not run again, and what is
         *     asked of it fails
         */
        void begin(@Nullable ExtensionHooks next);

        /** Begins, and fails where it would ask first: too much waits, or for too long. */
        void refuse();
    }

    Pause(CallSettings settings) {
        this.settings = settings;
    }

    /** Has something wait; it begins at once when the pause is over. */
    void add(Held held, long heldBytes, long nowNanos) {
        boolean isOver;
        synchronized (this) {
            isOver = hasEnded;
            if (!isOver
                    && waiting.size() < settings.waitingMax()
                    && bytes + heldBytes <= settings.waitingBytesMax()) {
                waiting.add(new Entry(held, heldBytes, nowNanos));
                bytes += heldBytes;
                return;
            }
        }
        if (isOver) {
            held.begin(next);
        } else {
            held.refuse();
        }
    }

    /** Refuses what has waited for {@code call-time}. */
    void tick(long nowNanos) {
        for (Held late = takeLate(nowNanos); late != null; late = takeLate(nowNanos)) {
            late.refuse();
        }
    }

    private synchronized @Nullable Held takeLate(long nowNanos) {
        Entry first = waiting.peek();
        if (first == null || nowNanos - first.sinceNanos() < settings.callTime().toNanos()) {
            return null;
        }
        waiting.remove();
        bytes -= first.bytes();
        return first.held();
    }

    /**
     * Begins all that waits, in its order.
     *
     * @param hooks those who are asked now; null: the extension does not run again
     */
    void end(@Nullable ExtensionHooks hooks) {
        List<Entry> all;
        synchronized (this) {
            hasEnded = true;
            next = hooks;
            all = List.copyOf(waiting);
            waiting.clear();
            bytes = 0;
        }
        all.forEach(each -> each.held().begin(hooks));
    }

    synchronized int count() {
        return waiting.size();
    }

    synchronized long bytes() {
        return bytes;
    }
}
