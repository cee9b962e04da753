package io.godwit.core.connection;

import io.godwit.core.auth.Subject;

/**
 * A client whose identity is known.
 *
 * @param endMs monotonic milliseconds at which its connection ends; {@link Long#MAX_VALUE}: never
 */
record KnownClient(Subject subject, long endMs) {
    /** Returns it as known since a time. */
    static KnownClient since(long nowMs, Subject subject) {
        long seconds = subject.identity().connectSeconds();
        return new KnownClient(subject, seconds == 0 ? Long.MAX_VALUE : nowMs + seconds * 1_000);
    }
}
