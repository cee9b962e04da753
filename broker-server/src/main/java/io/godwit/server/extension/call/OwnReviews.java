package io.godwit.server.extension.call;

import java.util.Collection;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what reviews one client, made of what reviews all clients and of its own setups. For the
 * thread of its shard.
 *
 * @param <R> the reviewer
 */
final class OwnReviews<R> {
    /** Holds the hooks that {@link #made} was built from; null while it is not built. */
    private @Nullable R usual;

    private @Nullable R made;

    /**
     * Returns it, made anew when all clients are reviewed by others than the last time.
     *
     * @param with adds setups to what reviews all clients
     */
    R of(R ofAll, Collection<OwnSetup> setups, BiFunction<R, Collection<OwnSetup>, R> with) {
        R present = made;
        if (present == null || usual != ofAll) {
            present = with.apply(ofAll, setups);
            usual = ofAll;
            made = present;
        }
        return present;
    }

    /** Has it made anew, since the setups have changed. */
    void forget() {
        usual = null;
        made = null;
    }
}
