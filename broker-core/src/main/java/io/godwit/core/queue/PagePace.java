package io.godwit.core.queue;

import io.godwit.core.store.KeptQueue;
import java.util.ArrayDeque;

/**
 * How many messages of pages are on their way through one shard: being read, or sent and not
 * acknowledged yet. The store reads faster than a shard sends, and a shard sends faster than
 * clients take: when thousands of them come back together, and all their pages were asked for at
 * once, most of what was read would wait, and each collection would copy it while nobody is served.
 * Those above the bound wait unread, in the order in which they were asked for.
 *
 * <p>What was read longer ago than a tick or two counts no more: who acknowledges nothing holds
 * nobody up, and a client that is far away has its next page long before its acknowledgements.
 */
final class PagePace {
    /**
     * Being read. Enough for two readers to have work while the shard is busy: 64 pages of the
     * usual length.
     */
    static final int READING_MAX = 6_400;

    /** Read lately, and not at their end. */
    static final int TO_TAKE_MAX = 8_192;

    private record Waiting(KeptQueue from, AskedPage page) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    private int reading;

    /** Read since the last tick, and in the tick before. */
    private int late;

    private int early;

    /** Reads a page, now or later. */
    void read(KeptQueue from, AskedPage page) {
        if (waiting.isEmpty() && mayRead()) {
            begin(from, page);
        } else {
            waiting.add(new Waiting(from, page));
        }
    }

    private boolean mayRead() {
        return reading < READING_MAX && late + early < TO_TAKE_MAX;
    }

    private void begin(KeptQueue from, AskedPage page) {
        reading += page.messagesMax;
        page.pacedBy(this);
        from.read(page);
    }

    /** It is there, and was taken. */
    void onRead(AskedPage page) {
        reading -= page.messagesMax;
        late += page.messagesToTake();
        goOn();
    }

    /** A message of a page has come to its end. */
    void onTaken() {
        if (early > 0) {
            early--;
        } else if (late > 0) {
            late--;
        }
        goOn();
    }

    void onTick() {
        early = late;
        late = 0;
        goOn();
    }

    private void goOn() {
        while (!waiting.isEmpty() && mayRead()) {
            Waiting next = waiting.remove();
            if (!next.page.isCancelled()) {
                begin(next.from, next.page);
            }
        }
    }
}
