package io.godwit.core.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what some queues hold at one moment of the journal. Either {@link #onFailed} is called, or
 * first {@link #onMoment}, then one of {@link #onRead} and {@link #onFailed}.
 */
public interface FillReader {
    /**
     * Marks the piece's place in the stream: every part that {@link PartListener#onPart} had before
     * is in what is read, none that it gets later is. On the commit thread, which must not wait.
     */
    void onMoment();

    /**
     * Takes the piece; on a thread of the store.
     *
     * @param bodies for {@link ShardStore#apply} at the place of {@link #onMoment}, in this order;
     *     parts held back follow them
     * @param leftOut queues of the piece that the copy has already, and that are in no body
     * @param next asks for the rest; null when every queue was read to its end
     */
    void onRead(List<byte[]> bodies, int leftOut, @Nullable FillAsk next);

    /** Called when the piece could not be read, or too many wait to be read. */
    void onFailed(Throwable cause);
}
