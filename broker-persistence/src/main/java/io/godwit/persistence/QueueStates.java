package io.godwit.persistence;

import io.godwit.core.message.Coverage;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.store.QueueState;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.QueueHandles;
import io.godwit.persistence.reading.Moments;
import io.godwit.persistence.work.Worker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscArrayQueue;

/**
 * Answers what queues hold. Those asked for at about the same time are answered together: the
 * commit worker says what it has written, and marks the place in what it hands on; the row worker
 * answers when it comes to the mark.
 */
final class QueueStates {
    /** Answered in one go, at most. */
    private static final int TOGETHER_MAX = 256;

    /** Questions that wait at most; whoever asks for more goes on when these are answered. */
    static final int ASKED_MAX = 4096;

    private record Ask(long queueId, QueueState.Reader to) {}

    private final Worker commitWorker;
    private final CommitLoop commits;
    private final QueueHandles handles;
    private final Moments moments;
    private final Queue<Ask> asks = new MpscArrayQueue<>(ASKED_MAX);
    private final AtomicBoolean due = new AtomicBoolean();

    QueueStates(Worker commitWorker, CommitLoop commits, QueueHandles handles, Moments moments) {
        this.commitWorker = commitWorker;
        this.commits = commits;
        this.handles = handles;
        this.moments = moments;
    }

    /** Any thread. */
    void ask(long queueId, QueueState.Reader to) {
        if (!asks.offer(new Ask(queueId, to))) {
            to.onFailed(new IllegalStateException("too many queues are asked about"));
            return;
        }
        if (due.compareAndSet(false, true)) {
            commitWorker.execute(this::mark);
        }
    }

    private void mark() {
        due.set(false);
        TreeMap<Long, List<QueueState.Reader>> readers = new TreeMap<>();
        while (readers.size() < TOGETHER_MAX) {
            Ask ask = asks.poll();
            if (ask == null) {
                break;
            }
            readers.computeIfAbsent(ask.queueId, any -> new ArrayList<>(1)).add(ask.to);
        }
        if (!asks.isEmpty() && due.compareAndSet(false, true)) {
            commitWorker.execute(this::mark);
        }
        if (!readers.isEmpty()) {
            Answer answer = new Answer(readers);
            commits.mark(answer::prepare, answer);
        }
    }

    /** What the commit worker knows of a queue. */
    private Moments.Asked asked(long queueId) {
        QueueHandle queue = handles.get(queueId);
        Coverage covered = new Coverage();
        if (queue.writtenClock != 0) {
            covered.add(queue.writtenServer, queue.coveredFrom, queue.writtenClock);
        }
        return new Moments.Asked(queue, covered);
    }

    private final class Answer implements JournalEntry.Mark {
        private final TreeMap<Long, List<QueueState.Reader>> readers;
        private final List<Moments.Asked> asked = new ArrayList<>();

        Answer(TreeMap<Long, List<QueueState.Reader>> readers) {
            this.readers = readers;
        }

        void prepare() {
            for (Long queueId : readers.keySet()) {
                asked.add(asked(queueId));
            }
        }

        @Override
        public void reached(long position, Iterable<JournalEntry> window) throws DiskFailure {
            Iterator<List<QueueState.Reader>> to = readers.values().iterator();
            for (QueueState state : moments.states(asked, position, window)) {
                to.next().forEach(each -> each.onState(state));
            }
        }

        @Override
        public void lost(Throwable cause) {
            readers.values().forEach(each -> each.forEach(reader -> reader.onFailed(cause)));
        }
    }
}
