package io.godwit.server.admin;

import io.godwit.core.metrics.TimeHistogram;
import java.util.Locale;

/** Counts how long requests to the admin port took, by page. The admin thread alone adds. */
final class AdminTimes {
    /** Kinds of requests that are timed; a fixed set, so that clients cannot add series. */
    enum Page {
        HEALTH,
        METRICS,
        CLIENTS,
        CLIENT,
        MEMORY,
        CLUSTER,
        EXTENSIONS,
        STATUS,
        COMMAND,
        OTHER;

        /** The label {@code page}. */
        String tag() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final TimeHistogram[] times = new TimeHistogram[Page.values().length];

    AdminTimes() {
        for (int i = 0; i < times.length; i++) {
            times[i] = new TimeHistogram();
        }
    }

    TimeHistogram of(Page page) {
        return times[page.ordinal()];
    }
}
