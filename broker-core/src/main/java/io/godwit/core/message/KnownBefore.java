package io.godwit.core.message;

import org.jspecify.annotations.Nullable;

/**
 * What had come before subscriptions that were made at one moment, until it is forgotten since
 * nothing of it may come again. They share it, each with those that take its place.
 */
public final class KnownBefore {
    private @Nullable CameBefore came;

    public KnownBefore(CameBefore came) {
        this.came = came;
    }

    /** Null once it is forgotten. Any thread. */
    public @Nullable CameBefore came() {
        return came;
    }

    /** Nobody needs it any more. */
    public void forget() {
        came = null;
    }
}
