package io.godwit.persistence.recovery;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.disk.JournalView;
import io.godwit.persistence.health.StoreDamaged;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives the journal's commits to the {@link Applier}: each one as a whole or not at all, since the
 * process may have ended between two records of one.
 */
public final class Replay {
    private record Held(long position, byte[] value) {}

    private final Applier applier;
    private final long rows;
    private final boolean overGaps;
    private final List<Held> commit = new ArrayList<>();
    private long next;

    /** The records that follow are the rest of a commit whose beginning is in rows already. */
    private boolean isOpen = true;

    private long missing;

    /**
     * @param rows position that rows stand for
     * @param coverage position that coverage stands for
     * @param overGaps records may be missing: what is behind them counts all the same
     */
    public Replay(Applier applier, long rows, long coverage, boolean overGaps) {
        this.applier = applier;
        this.rows = rows;
        this.overGaps = overGaps;
        next = Math.min(rows, coverage) + 1;
    }

    /**
     * Replays everything.
     *
     * @return records of the journal that were there
     */
    public long run(JournalView journal) throws DiskFailure {
        long first = Math.max(next, rows + 1);
        journal.replay(next - 1, rows, this::record);
        // A commit that was never ended: nobody was told of it.
        commit.forEach(each -> applier.passed(each.position));
        applier.write();
        return Math.max(0, next - first - missing);
    }

    private void record(long position, int flags, byte[] value) throws DiskFailure {
        if (position != next) {
            if (!overGaps) {
                throw new StoreDamaged(
                        "the journal goes on with "
                                + position
                                + " where "
                                + next
                                + " is expected: commits are missing");
            }
            missing += position - next;
            // The beginning of what follows may be among the missing; it counts all the same.
            drop();
            isOpen = true;
        }
        next = position + 1;
        if (position <= rows) {
            applier.coverage(position, value);
            return;
        }
        if ((flags & Journal.FIRST) != 0) {
            drop();
            isOpen = true;
        }
        commit.add(new Held(position, value));
        if ((flags & Journal.LAST) != 0 && isOpen) {
            for (Held each : commit) {
                applier.record(each.position, each.value);
            }
            commit.clear();
            isOpen = false;
        }
    }

    /** What was begun was never ended. */
    private void drop() {
        commit.forEach(each -> applier.passed(each.position));
        commit.clear();
    }
}
