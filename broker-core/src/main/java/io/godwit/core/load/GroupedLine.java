package io.godwit.core.load;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A line of the log that is told at once, then once in a while with how often it came. */
public final class GroupedLine {
    private static final long EVERY_MS = 10_000;

    private final Logger log;
    private final String format;
    private long toldAtMs;
    private boolean told;
    private long untold;

    /**
     * @param format takes what the line is about, and last how often it came since it was told
     */
    public GroupedLine(Logger log, String format) {
        this.log = log;
        this.format = format;
    }

    /**
     * @param nowMs monotonic milliseconds
     */
    public void warn(long nowMs, Object about, @Nullable Throwable cause) {
        String times = due(nowMs);
        if (times != null) {
            log.warn(format, about, times, cause);
        }
    }

    /** As {@link #warn}, for a fault of the broker itself. */
    public void error(long nowMs, Object about, Throwable cause) {
        String times = due(nowMs);
        if (times != null) {
            log.error(format, about, times, cause);
        }
    }

    private @Nullable String due(long nowMs) {
        if (told && nowMs - toldAtMs < EVERY_MS) {
            untold++;
            return null;
        }
        String times = untold == 0 ? "" : ", and " + untold + " times since";
        told = true;
        toldAtMs = nowMs;
        untold = 0;
        return times;
    }
}
