package io.godwit.persistence.recovery;

import io.godwit.core.operation.Op;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.PartDecoder;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Coverages;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.window.PartOps;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes rows of records as they stand in the journal: at a start, for the tools, and of what
 * another node has sent. The operations become what they were when they waited in memory and go the
 * same way to the disk; so many of them at a time, so that memory is bounded and what was removed
 * among the same ones never becomes a row. A crash meanwhile changes nothing: each write takes the
 * position along up to which it stands for the journal.
 */
public final class Applier {
    private static final int PART_OPS = 200_000;
    private static final long PART_BYTES = 32 << 20;
    private static final int RUN_OPS = 2048;

    private final Materialiser materialiser;
    private final PartOps parts;
    private final Arrivals arrivals;
    private final List<JournalEntry> waiting = new ArrayList<>();
    private int ops;
    private long bytes;

    /** This node has adopted a queue or given one up since rows were made. */
    private boolean changesLeader;

    public Applier(
            Materialiser materialiser,
            PartOps parts,
            QueueLeaders queueLeaders,
            Coverages coverages) {
        this.materialiser = materialiser;
        this.parts = parts;
        arrivals = new Arrivals(queueLeaders, coverages);
        parts.attach(arrivals);
    }

    /**
     * Takes a record; it is on its way to the disk at the latest when {@link #write} returns.
     *
     * @throws StoreDamaged when it can't be understood
     */
    public void record(long position, byte[] value) throws DiskFailure {
        try {
            // The running node takes other nodes' parts first, too: what a former leader has
            // written of a queue counts that is adopted in the same record.
            List<Part> all = Part.of(value);
            for (Part part : all) {
                if (part.kind() == Part.Kind.FOREIGN) {
                    add(position, parts.take(part, position, waiting));
                }
            }
            for (Part part : all) {
                if (part.kind() != Part.Kind.FOREIGN) {
                    OpList own = parts.take(part, position, waiting);
                    changesLeader |= changesLeader(own);
                    add(position, own);
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new StoreDamaged("record " + position + " of the journal is damaged", e);
        } catch (Part.UnknownFormat e) {
            throw new StoreDamaged(
                    "record "
                            + position
                            + " of the journal holds "
                            + e.getMessage()
                            + ": start the newer Godwit.",
                    e);
        }
        passed(position);
        bytes += value.length;
        // As in the running node: what another one writes of a queue finds the rows of before.
        if (ops >= PART_OPS || bytes >= PART_BYTES || changesLeader) {
            changesLeader = false;
            write();
        }
    }

    /**
     * Takes the coverage that a record proves: rows stand for the rest of it already.
     *
     * @throws StoreDamaged when it can't be understood
     */
    public void coverage(long position, byte[] value) {
        try {
            for (Part part : Part.of(value)) {
                // That of copies is written with their rows.
                PartDecoder in = part.decode();
                while (part.kind() != Part.Kind.FOREIGN && in.next()) {
                    if (in.op == Op.SESSION_GONE || in.op == Op.GROUP_GONE) {
                        materialiser.uncovered(in.queueId);
                    } else if (in.op == Op.APPEND) {
                        materialiser.covered(
                                in.queueId,
                                in.previousClock,
                                in.previousServer,
                                in.clock,
                                in.server);
                    }
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new StoreDamaged("record " + position + " of the journal is damaged", e);
        }
    }

    /** Nothing of this record counts, but rows stand for everything up to it all the same. */
    void passed(long position) {
        JournalEntry entry = new JournalEntry(position, 0);
        waiting.add(entry);
    }

    private static boolean changesLeader(OpList own) {
        for (int i = 0; i < own.size(); i++) {
            if (own.op(i) == Op.ADOPTED || own.op(i) == Op.YIELDED) {
                return true;
            }
        }
        return false;
    }

    private void add(long position, OpList list) {
        JournalEntry entry = new JournalEntry(position, 0);
        entry.lists.add(list);
        entry.ops = list.size();
        arrivals.arrive(entry);
        waiting.add(entry);
        ops += entry.ops;
    }

    /** Makes rows of everything that was taken. */
    public void write() throws DiskFailure {
        List<JournalEntry> run = new ArrayList<>();
        int runOps = 0;
        for (JournalEntry entry : waiting) {
            if (runOps >= RUN_OPS && entry.position > run.getLast().position) {
                materialiser.write(run, arrivals);
                run.clear();
                runOps = 0;
            }
            run.add(entry);
            runOps += entry.ops;
        }
        if (!run.isEmpty()) {
            materialiser.write(run, arrivals);
        }
        ops = 0;
        bytes = 0;
        waiting.clear();
        parts.clear();
    }
}
