package io.godwit.persistence.window;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.reading.QueueMoment;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a copy has and its leader does not account for, when the leader fills the copy, and
 * has it set aside: the leader's disk has lost it, or was set back. On the row worker.
 *
 * <p>Of a queue that the leader has: entries that its coverage does not have, and that no end of
 * the queue explains. Of one that it does not have: everything, unless the leader knows that the
 * queue has ended, later than the copy's record.
 */
final class UnknownEntries {
    private final CopyRanges ranges;
    private final AsideRows aside;
    private final boolean holds;
    private Subject.@Nullable CopyRange range;
    private @Nullable QueueMoment moment;
    private boolean hasRecords;

    /**
     * @param holds false: nothing is set aside, in the simulator
     */
    UnknownEntries(CopyRanges ranges, AsideRows aside, boolean holds) {
        this.ranges = ranges;
        this.aside = aside;
        this.holds = holds;
    }

    /** Begins to look at what a copy has in a range. */
    void begin(Subject.CopyRange of, QueueMoment at) {
        range = of;
        moment = at;
        hasRecords = false;
    }

    /** Sets an entry of the copy aside if the leader does not account for it. */
    void look(QueuedMessage entry) throws DiskFailure {
        Subject.CopyRange of = range;
        QueueMoment at = moment;
        if (!holds || of == null || at == null || of.accountsFor(entry.id())) {
            return;
        }
        if (!hasRecords) {
            hasRecords = true;
            records(at, false);
        }
        aside.entry(entry);
    }

    /** Everything in the range was looked at. */
    void end() throws DiskFailure {
        aside.write();
        range = null;
        moment = null;
    }

    /**
     * Sets aside what the copy has of a queue that its leader does not have, and of which it does
     * not know that it has ended.
     *
     * @return false when some of it can't be read: the copy stays as it is
     */
    boolean setAside(Subject.CopyRange gone, QueueMoment at) throws DiskFailure {
        if (!holds || hasEnded(gone, at)) {
            return true;
        }
        begin(gone, at);
        records(at, true);
        boolean isRead = ranges.read(gone, at, new Entries());
        end();
        return isRead;
    }

    private boolean hasEnded(Subject.CopyRange gone, QueueMoment at) throws DiskFailure {
        if (gone.ended().equals(HybridId.NONE)) {
            return false;
        }
        Subject.SessionPut session = ranges.session(at);
        return session == null || session.session().stamp().compareTo(gone.ended()) <= 0;
    }

    /**
     * @param isAll subscriptions, too
     */
    private void records(QueueMoment at, boolean isAll) throws DiskFailure {
        HybridId[] generation = {HybridId.NONE};
        ranges.records(
                at,
                (key, value) -> {
                    switch (key[0]) {
                        case 'S' -> {
                            // Before the subscriptions: a session's record is read first.
                            generation[0] = MetaRecords.session(key, value).session().generation();
                            aside.record(generation[0], key, value);
                        }
                        case 'G' -> aside.record(generation[0], key, value);
                        case 'B' -> {
                            if (isAll) {
                                aside.record(generation[0], key, value);
                            }
                        }
                        default -> {}
                    }
                });
    }

    /** Takes the entries of a queue that goes as a whole: nothing else of it counts. */
    private final class Entries implements CopyRanges.Reader {
        @Override
        public void entry(QueuedMessage entry) throws DiskFailure {
            look(entry);
        }

        @Override
        public void released(QueuedMessage entry) {}

        @Override
        public void got(long queueId, HybridId id) {}

        @Override
        public void remembered(Remembered each) {}

        @Override
        public void record(Subject put) {}

        @Override
        public void inbound(Inbound inbound) {}
    }
}
