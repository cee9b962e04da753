package io.godwit.cluster.stream;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Up to where a stream has been seen, for any thread, as long as something of that may come again:
 * while it is not answered, and then until its sender has heard so, or must have.
 */
final class CameUpTo {
    /** An answer that has left for so long has come, if its link has not ended. */
    private static final long HEARD_MS = 5_000;

    private static final long OPEN = Long.MAX_VALUE;

    private final AtomicLong position = new AtomicLong();
    private final AtomicLong untilMs = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong heard = new AtomicLong();

    /** The sender has heard what was answered up to there. */
    void heard(long answered) {
        if (answered > heard.getPlain()) {
            heard.lazySet(answered);
        }
    }

    /**
     * Shows how it stands.
     *
     * @param last position that was seen and is answered
     * @param isOpen whether something of it is not
     */
    void show(long last, boolean isOpen, long nowMs) {
        position.lazySet(last);
        if (isOpen) {
            untilMs.lazySet(OPEN);
        } else {
            untilMs.lazySet(heard.getPlain() >= last ? Long.MIN_VALUE : nowMs + HEARD_MS);
        }
    }

    /**
     * The link has ended: what the sender has not heard it will not hear before there is another.
     */
    void linkEnded() {
        if (heard.getPlain() < position.getPlain()) {
            untilMs.lazySet(OPEN);
        }
    }

    /**
     * The position up to which something may come again; 0 when nothing may. Any thread.
     *
     * @param nowMs a shard's time
     */
    long mayComeAgain(long nowMs) {
        return nowMs < untilMs.get() ? position.get() : 0;
    }

    /**
     * Whether something may come again up to a position that was seen, perhaps by an earlier start
     * of this node. Any thread.
     */
    boolean mayComeAgain(long upTo, long nowMs) {
        return heard.get() < upTo && (position.get() < upTo || nowMs < untilMs.get());
    }
}
