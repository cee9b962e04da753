package io.godwit.server.admin;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts refusals by cause. Any thread. */
final class AdminRefusals {
    private final AtomicLongArray counts = new AtomicLongArray(AdminRefusal.values().length);

    void count(AdminRefusal cause) {
        counts.incrementAndGet(cause.ordinal());
    }

    long get(AdminRefusal cause) {
        return counts.get(cause.ordinal());
    }
}
