package io.godwit.persistence;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.reading.PageReads;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Reads what queues hold at a moment of the journal, one question after the other: a mark in what
 * the commit worker hands on, the rows and the window as they stand when the row worker comes to
 * it, then the reading itself on a read worker, behind what shards wait for.
 */
final class MomentReads {
    /** Questions that wait at most; each asker has one under way at a time. */
    private static final int ASKED_MAX = 1024;

    /** Pages of shards that go first, at most. */
    private static final int YIELDS_MAX = 16;

    /** A question. Of its methods one is under way at a time. */
    interface Question {
        /** Marks the moment, on the commit worker. */
        void atMoment();

        /**
         * Opens what is to be read; on the row worker.
         *
         * @param window what waits in memory, up to the moment
         */
        Source open(Iterable<JournalEntry> window) throws DiskFailure;

        /**
         * Reads some of what was opened, on a read worker. Answers with the last of it; no call
         * follows.
         *
         * @return whether there is more: shards come first again
         */
        boolean read() throws DiskFailure;

        /** Answers that it could not be read; the last call. */
        void failed(Throwable cause);
    }

    /** What is read, as it stood at the moment. */
    interface Source {
        void close();
    }

    private final Worker commitWorker;
    private final Worker worker;
    private final PageReads shards;
    private final CommitLoop commits;
    private final ArrayDeque<Question> asked = new ArrayDeque<>();
    private boolean isBusy;
    private boolean closed;

    /** What the read worker has not begun yet. */
    private @Nullable Reading opened;

    /** Held while something is read: the store isn't closed meanwhile. */
    private final Object reading = new Object();

    /**
     * @param shards what shards wait for, which goes first
     */
    MomentReads(Workers workers, PageReads shards, CommitLoop commits) {
        this.shards = shards;
        commitWorker = workers.commits();
        worker = workers.reads().getLast();
        this.commits = commits;
    }

    /** Any thread. */
    void ask(Question question) {
        ask(question, false);
    }

    /** Asks before all others that wait: somebody holds back until the moment. Any thread. */
    void askFirst(Question question) {
        ask(question, true);
    }

    private void ask(Question question, boolean isFirst) {
        synchronized (this) {
            if (!closed && asked.size() < ASKED_MAX) {
                if (isFirst) {
                    asked.addFirst(question);
                } else {
                    asked.add(question);
                }
                begin();
                return;
            }
        }
        question.failed(new IllegalStateException("closed, or too much is asked for"));
    }

    private synchronized void begin() {
        Question question = isBusy || closed ? null : asked.poll();
        if (question != null) {
            isBusy = true;
            commitWorker.execute(() -> commits.mark(question::atMoment, new Reading(question)));
        }
    }

    private void done() {
        synchronized (this) {
            isBusy = false;
        }
        begin();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void open(Reading toBeRead) {
        opened = toBeRead;
    }

    private synchronized @Nullable Reading take() {
        Reading there = opened;
        opened = null;
        return there;
    }

    /** Nothing is open any more when it returns, and nobody who asked is left waiting. */
    void close() {
        ArrayDeque<Question> left;
        synchronized (this) {
            closed = true;
            left = new ArrayDeque<>(asked);
            asked.clear();
        }
        synchronized (reading) {
            Reading there = take();
            if (there != null) {
                there.closeSource();
                there.question.failed(new IllegalStateException("closed"));
            }
        }
        left.forEach(each -> each.failed(new IllegalStateException("closed")));
    }

    private final class Reading implements JournalEntry.Mark {
        private final Question question;
        private @Nullable Source source;
        private int yields;

        Reading(Question question) {
            this.question = question;
        }

        @Override
        public void reached(long position, Iterable<JournalEntry> window) throws DiskFailure {
            Throwable failure = new IllegalStateException("closed");
            synchronized (reading) {
                if (!isClosed()) {
                    try {
                        source = question.open(window);
                        MomentReads.this.open(this);
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
            synchronized (reading) {
                if (take() == null) {
                    return; // The store was closed, and who asked was told.
                }
                boolean isMore = false;
                try {
                    isMore = question.read();
                } catch (DiskFailure | RuntimeException e) {
                    question.failed(e);
                }
                if (isMore) {
                    yields = 0;
                    MomentReads.this.open(this);
                    worker.execute(this::read);
                    return;
                }
                closeSource();
            }
            done();
        }

        private void closeSource() {
            if (source != null) {
                source.close();
            }
        }

        @Override
        public void lost(Throwable cause) {
            question.failed(cause);
            done();
        }
    }
}
