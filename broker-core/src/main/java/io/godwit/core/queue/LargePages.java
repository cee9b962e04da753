package io.godwit.core.queue;

import io.godwit.core.load.QueueAccounts;
import io.godwit.core.store.KeptQueue;
import java.util.ArrayDeque;

/**
 * Pages with large messages that the queues of one shard want. What is being read is in no account,
 * and a page has one message however large it is: were all read that are wanted when many clients
 * come back together, they would take memory before the alarm could rise. So as many are read at a
 * time as the node has memory for, one of them in any case; during the alarm all wait. It ends
 * without them: what is in memory is drained by clients that have it, or by their end.
 */
final class LargePages {
    /** A message above this is large: a page of others has about as many bytes. */
    static final long LARGE = 256 << 10;

    private record Waiting(KeptQueue from, AskedPage page, long bytes) {}

    private final QueueAccounts accounts;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

    LargePages(QueueAccounts accounts) {
        this.accounts = accounts;
    }

    /**
     * Reads a page, now or later.
     *
     * @param bytes that its largest message is expected to have
     */
    void read(KeptQueue from, AskedPage page, long bytes) {
        waiting.add(new Waiting(from, page, bytes));
        goOn();
    }

    /** Such a page is there: what it has brought counts by now. */
    void onRead(long bytes) {
        accounts.readLarge(bytes);
        goOn();
    }

    /** Reads those that wait, as far as there is memory; each tick. */
    void goOn() {
        Waiting first;
        while ((first = waiting.peek()) != null) {
            boolean wanted = !first.page.isCancelled();
            if (wanted && !accounts.mayReadLarge(first.bytes)) {
                return;
            }
            waiting.remove();
            if (wanted) {
                first.page.countsFor(this, first.bytes);
                first.from.read(first.page);
            }
        }
    }
}
