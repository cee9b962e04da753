package io.godwit.persistence;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.CopyPage;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.reading.CopyReader;
import io.godwit.persistence.reading.Moments;
import io.godwit.persistence.reading.PageReads;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages for other nodes' copies, one after the other: a mark in what the commit worker hands
 * on, the rows and the window as they stand when the row worker comes to it, then the page itself
 * on the read worker, behind what shards wait for.
 */
final class CopyPages {
    /** Pages that wait at most; each asker has one under way at a time. */
    private static final int ASKED_MAX = 1024;

    /** Pages of shards that go first, at most. */
    private static final int YIELDS_MAX = 16;

    private record Ask(
            long queueId, HybridId above, int messages, long bytes, CopyPage.Reader to) {}

    private final Worker commitWorker;
    private final Worker worker;
    private final PageReads shards;
    private final CommitLoop commits;
    private final QueueStates states;
    private final Moments moments;
    private final ArrayDeque<Ask> asks = new ArrayDeque<>();
    private boolean isBusy;
    private boolean closed;

    /** What the read worker has not begun yet. */
    private @Nullable Page opened;

    /** Held while a page is read: the store isn't closed meanwhile. */
    private final Object reading = new Object();

    /**
     * @param shards what shards wait for, which goes first
     */
    CopyPages(
            Workers workers,
            PageReads shards,
            CommitLoop commits,
            QueueStates states,
            Moments moments) {
        this.shards = shards;
        commitWorker = workers.commits();
        worker = workers.reads().getLast();
        this.commits = commits;
        this.states = states;
        this.moments = moments;
    }

    /** Any thread. */
    void ask(long queueId, HybridId above, int messages, long bytes, CopyPage.Reader to) {
        synchronized (this) {
            if (!closed && asks.size() < ASKED_MAX) {
                asks.add(new Ask(queueId, above, messages, bytes, to));
                begin();
                return;
            }
        }
        to.onFailed(new IllegalStateException("closed, or too many pages are asked for"));
    }

    private synchronized void begin() {
        Ask ask = isBusy || closed ? null : asks.poll();
        if (ask != null) {
            isBusy = true;
            commitWorker.execute(() -> {
                Page page = new Page(ask);
                commits.mark(page::prepare, page);
            });
        }
    }

    private void done() {
        synchronized (this) {
            isBusy = false;
        }
        begin();
    }

    private synchronized @Nullable Page take() {
        Page there = opened;
        opened = null;
        return there;
    }

    /** Nothing is open any more when it returns, and nobody who asked is left waiting. */
    void close() {
        ArrayDeque<Ask> left;
        synchronized (this) {
            closed = true;
            left = new ArrayDeque<>(asks);
            asks.clear();
        }
        synchronized (reading) {
            Page there = take();
            if (there != null) {
                there.closeUnread();
            }
        }
        left.forEach(each -> each.to.onFailed(new IllegalStateException("closed")));
    }

    private final class Page implements JournalEntry.Mark {
        private final Ask ask;
        private Moments.@Nullable Asked asked;
        private @Nullable CopyReader reader;
        private long position;
        private int yields;

        Page(Ask ask) {
            this.ask = ask;
        }

        void prepare() throws DiskFailure {
            asked = states.asked(ask.queueId);
        }

        @Override
        public void reached(long at, Iterable<JournalEntry> window) throws DiskFailure {
            Moments.Asked of = asked;
            if (of == null) {
                throw new IllegalStateException("not prepared");
            }
            position = at;
            Throwable failure = new IllegalStateException("closed");
            synchronized (CopyPages.this) {
                if (!closed) {
                    try {
                        reader = moments.open(of, ask.above, ask.to.wantsRemembered(), window);
                        opened = this;
                        worker.execute(this::read);
                        return;
                    } catch (Unreadable e) {
                        failure = e; // Its own queue alone has it.
                    }
                }
            }
            lost(failure);
        }

        private void read() {
            if (shards.isAsked() && yields++ < YIELDS_MAX) {
                worker.execute(this::read);
                return;
            }
            CopyPage page = null;
            Throwable failure = null;
            synchronized (reading) {
                if (take() == null) {
                    return; // The store was closed, and who asked was told.
                }
                try (CopyReader from = reader) {
                    page = from == null ? null : from.read(position, ask.messages, ask.bytes);
                } catch (DiskFailure | RuntimeException e) {
                    failure = e;
                }
            }
            if (page == null) {
                lost(failure == null ? new IllegalStateException("not opened") : failure);
            } else {
                ask.to.onPage(page);
                done();
            }
        }

        void closeUnread() {
            if (reader != null) {
                reader.close();
            }
            ask.to.onFailed(new IllegalStateException("closed"));
        }

        @Override
        public void lost(Throwable cause) {
            ask.to.onFailed(cause);
            done();
        }
    }
}
