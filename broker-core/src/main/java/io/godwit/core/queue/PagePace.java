package io.godwit.core.queue;

import io.godwit.core.store.KeptQueue;
import java.util.ArrayDeque;

/**
 * How many messages of pages are on their way to one shard. The store reads faster than a shard
 * sends: when thousands of clients come back together, and all their pages were asked for at once,
 * most of what was read would wait in the mailbox, and each collection would copy it while nobody
 * is served. Those above the bound wait unread, in the order in which they were asked for.
 */
final class PagePace {
    /**
     * Enough for two readers to have work while the shard is busy: 64 pages of the usual length.
     */
    static final int MESSAGES_MAX = 6_400;

    private record Waiting(KeptQueue from, AskedPage page) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    private int underWay;

    /** Reads a page, now or later. */
    void read(KeptQueue from, AskedPage page) {
        if (underWay >= MESSAGES_MAX) {
            waiting.add(new Waiting(from, page));
        } else {
            begin(from, page);
        }
    }

    private void begin(KeptQueue from, AskedPage page) {
        underWay += page.messagesMax;
        page.pacedBy(this);
        from.read(page);
    }

    /** It is there, and was taken. */
    void onRead(AskedPage page) {
        underWay -= page.messagesMax;
        Waiting next;
        while (underWay < MESSAGES_MAX && (next = waiting.poll()) != null) {
            if (!next.page.isCancelled()) {
                begin(next.from, next.page);
            }
        }
    }
}
