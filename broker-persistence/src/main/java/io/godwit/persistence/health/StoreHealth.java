package io.godwit.persistence.health;

import io.godwit.core.store.StoreListener;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store still writes. After the first failure nothing is written any more: what a retry
 * would sync is not what failed to be synced.
 */
public final class StoreHealth {
    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();
    private final StoreListener listener;

    public StoreHealth(StoreListener listener) {
        this.listener = listener;
    }

    public StoreListener listener() {
        return listener;
    }

    /** Why the store has failed, or null. */
    public @Nullable Throwable cause() {
        return cause.get();
    }

    /** The first one is told, later ones change nothing. */
    public void fail(Throwable failure) {
        if (cause.compareAndSet(null, failure)) {
            listener.onFailed(failure);
        }
    }
}
