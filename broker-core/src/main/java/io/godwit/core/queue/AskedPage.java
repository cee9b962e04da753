package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.RowRead;
import org.jspecify.annotations.Nullable;

/**
 * A page that a shard has asked for, and takes when it comes unless it has {@linkplain #cancel
 * given it up}.
 */
abstract class AskedPage extends RowRead {
    private boolean cancelled;

    /** Where it counts while it is read; null of one without large messages. */
    private @Nullable LargePages countedIn;

    private long countedBytes;

    AskedPage(
            long queueId,
            Section section,
            HybridId after,
            HybridId upTo,
            int messagesMax,
            long bytesMax) {
        super(queueId, section, after, upTo, messagesMax, bytesMax);
    }

    /** On the shard that has asked. */
    final void cancel() {
        cancelled = true;
    }

    final boolean isCancelled() {
        return cancelled;
    }

    /** It counts there until it is read. */
    final void countsFor(LargePages pages, long bytes) {
        countedIn = pages;
        countedBytes = bytes;
    }

    @Override
    public final void onRead(@Nullable Throwable failure) {
        if (!cancelled) {
            done(failure);
        }
        if (countedIn != null) {
            countedIn.onRead(countedBytes);
        }
    }

    abstract void done(@Nullable Throwable failure);
}
