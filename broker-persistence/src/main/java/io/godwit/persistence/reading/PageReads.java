package io.godwit.persistence.reading;

import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pages of rows that shards wait for: each worker reads one at a time, queues take turns, and the
 * pages of one queue are read one after the other. So one that takes long, or asks for much, leaves
 * the others their turn. Any thread; the lock is held for a moment.
 */
public final class PageReads {
    private record Asked(CommitOutcome outcome, RowRead read) {}

    /** Done when the pages that were under way are read. */
    private static final class After {
        final Runnable task;
        int left;

        After(Runnable task, int left) {
            this.task = task;
            this.left = left;
        }
    }

    /** A worker, and what reads there. */
    private static final class Line {
        final Worker worker;
        final PageReader reader;

        /** A task of it is to come, or runs. */
        boolean isBusy;

        boolean isReading;
        final List<After> after = new ArrayList<>();

        Line(Worker worker, PageReader reader) {
            this.worker = worker;
            this.reader = reader;
        }
    }

    private final List<Line> lines = new ArrayList<>();
    private final Map<Long, Deque<Asked>> waiting = new HashMap<>();

    /** Queues with a page that waits and none under way. */
    private final Deque<Long> turns = new ArrayDeque<>();

    /** Pages that wait or are under way. */
    private final AtomicInteger asked = new AtomicInteger();

    /** Makes a reader for each worker; called before the first page is asked for. */
    public synchronized void start(List<Worker> workers, Supplier<PageReader> readers) {
        for (Worker worker : workers) {
            lines.add(new Line(worker, readers.get()));
        }
    }

    /** Reads a page soon, and hands it on. */
    public synchronized void read(CommitOutcome outcome, RowRead read) {
        Deque<Asked> ofQueue = waiting.get(read.queueId);
        if (ofQueue == null) {
            ofQueue = new ArrayDeque<>(2);
            waiting.put(read.queueId, ofQueue);
            turns.add(read.queueId);
        }
        ofQueue.add(new Asked(outcome, read));
        asked.incrementAndGet();
        for (Line line : lines) {
            if (!line.isBusy && !turns.isEmpty()) {
                line.isBusy = true;
                line.worker.execute(() -> turn(line));
                return;
            }
        }
    }

    /** Whether a shard waits for a page. */
    public boolean isAsked() {
        return asked.get() > 0;
    }

    private void turn(Line line) {
        Asked page = begin(line);
        if (page != null) {
            try {
                line.reader.read(page.outcome, page.read);
            } finally {
                end(line, page.read.queueId).forEach(Runnable::run);
            }
        }
    }

    private synchronized @Nullable Asked begin(Line line) {
        Long queueId = turns.poll();
        Deque<Asked> ofQueue = queueId == null ? null : waiting.get(queueId);
        if (ofQueue == null) {
            line.isBusy = false;
            return null;
        }
        line.isReading = true;
        return ofQueue.remove();
    }

    private synchronized List<Runnable> end(Line line, long queueId) {
        line.isReading = false;
        asked.decrementAndGet();
        Deque<Asked> ofQueue = waiting.get(queueId);
        if (ofQueue == null || ofQueue.isEmpty()) {
            waiting.remove(queueId);
        } else {
            turns.add(queueId);
        }
        line.isBusy = !turns.isEmpty();
        if (line.isBusy) {
            line.worker.execute(() -> turn(line));
        }
        List<Runnable> due = new ArrayList<>(0);
        for (After each : line.after) {
            if (--each.left == 0) {
                due.add(each.task);
            }
        }
        line.after.clear();
        return due;
    }

    /** Runs a task when the pages that are under way now are read: at once when none is. */
    public void after(Runnable task) {
        synchronized (this) {
            int under = (int) lines.stream().filter(each -> each.isReading).count();
            if (under > 0) {
                After after = new After(task, under);
                lines.stream()
                        .filter(each -> each.isReading)
                        .forEach(each -> each.after.add(after));
                return;
            }
        }
        task.run();
    }

    /** Waits for pages under way; later ones are not read. */
    public void close() {
        lines.forEach(each -> each.reader.close());
    }
}
