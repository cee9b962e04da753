package io.godwit.persistence;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.journal.CommitLoop;
import io.godwit.persistence.journal.Grown;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.upkeep.Upkeep;
import io.godwit.persistence.work.Worker;
import java.util.List;

/**
 * Takes what queues have grown by from the commit worker, who knows it, to the row worker, who
 * writes it: with a mark, behind all that was committed before.
 */
final class GrownCoverage {
    private final Worker commitWorker;
    private final CommitLoop commits;
    private final Restored state;

    GrownCoverage(Worker commitWorker, CommitLoop commits, Restored state) {
        this.commitWorker = commitWorker;
        this.commits = commits;
        this.state = state;
    }

    /** Has all of it written up to where the journal stands; any thread. */
    void write(Upkeep then) {
        commitWorker.execute(() -> {
            Growth growth = new Growth(then);
            commits.mark(growth::take, growth);
        });
    }

    private final class Growth implements JournalEntry.Mark {
        private final Upkeep then;
        private List<Grown> grown = List.of();

        Growth(Upkeep then) {
            this.then = then;
        }

        void take() throws DiskFailure {
            grown = commits.takeGrown();
        }

        @Override
        public void reached(long position, Iterable<JournalEntry> window) {
            state.coverages.take(grown, position, then::covered);
        }

        @Override
        public void lost(Throwable cause) {
            then.notCovered();
        }
    }

    /** Writes the rest of it on the calling thread, when both workers have ended. */
    void writeLast() throws DiskFailure {
        state.coverages.take(commits.takeGrown(), commits.position(), position -> {});
        boolean isMore = true;
        while (isMore) {
            isMore = state.materialiser.coverSome();
        }
    }
}
