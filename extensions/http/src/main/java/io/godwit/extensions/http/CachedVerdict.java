package io.godwit.extensions.http;

import java.time.Duration;

/**
 * Holds a verdict with its age.
 *
 * @param sinceNanos when it came
 * @param forNanos how long it may be remembered
 */
record CachedVerdict(Verdict verdict, long sinceNanos, long forNanos) {
    Duration age(long nowNanos) {
        return Duration.ofNanos(nowNanos - sinceNanos);
    }

    /** Returns for how long it still holds; zero: no more. */
    Duration remaining(long nowNanos) {
        return Duration.ofNanos(Math.max(0, forNanos - (nowNanos - sinceNanos)));
    }
}
