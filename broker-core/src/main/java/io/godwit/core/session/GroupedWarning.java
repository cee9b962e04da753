package io.godwit.core.session;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A warning that repeats is told at once, then once in a while with how often it came. */
final class GroupedWarning {
    private static final long EVERY_MS = 10_000;

    private final Logger log;
    private final String format;
    private long toldAtMs;
    private boolean told;
    private long untold;

    /**
     * @param format takes the subject of the warning, and how often it came since it was told last
     */
    GroupedWarning(Logger log, String format) {
        this.log = log;
        this.format = format;
    }

    void warn(long nowMs, Object about, @Nullable Throwable cause) {
        if (told && nowMs - toldAtMs < EVERY_MS) {
            untold++;
            return;
        }
        log.warn(format, about, untold == 0 ? "" : ", and " + untold + " times since", cause);
        told = true;
        toldAtMs = nowMs;
        untold = 0;
    }
}
