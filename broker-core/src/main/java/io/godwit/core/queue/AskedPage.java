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

    /** What it is read at the pace of; null of one with large messages. */
    private @Nullable PagePace pace;

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

    /** It is read at this pace. */
    final void pacedBy(PagePace of) {
        pace = of;
    }

    @Override
    public final void onRead(@Nullable Throwable failure) {
        if (!cancelled) {
            done(failure);
        }
        if (countedIn != null) {
            countedIn.onRead(countedBytes);
        }
        if (pace != null) {
            pace.onRead(this);
        }
    }

    /** Messages that it has brought and that clients are to take. */
    int messagesToTake() {
        return 0;
    }

    abstract void done(@Nullable Throwable failure);
}
