package io.godwit.persistence.journal;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.StoreCounts;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.util.List;

/**
 * Makes entries of the journal from lists: takes out what cancelled, encodes the rest, keeps the
 * ceiling of the hybrid clock above what is written. Only the commit thread calls.
 */
final class JournalWriter {
    /** What an entry's operations may become in rows at most decides how long a write takes. */
    private static final int ENTRY_OPS = 2048;

    private static final int ENTRY_BYTES = 128 << 10;
    private static final long CLOCK_AHEAD = 10_000L << 16;
    private static final Object CANCELLED = new Object();

    private final Journal journal;
    private final TimeSource time;
    private final StoreCounts counts;
    private final ByteWriter value = new ByteWriter(1 << 16);
    private final OpEncoder encoder = new OpEncoder(value);
    private long nextPosition;
    private long clockCeiling;
    private int appends;

    JournalWriter(
            Journal journal,
            TimeSource time,
            StoreCounts counts,
            long nextPosition,
            long clockCeiling) {
        this.journal = journal;
        this.time = time;
        this.counts = counts;
        this.nextPosition = nextPosition;
        this.clockCeiling = clockCeiling;
    }

    /**
     * Writes what these lists hold, in order.
     *
     * @param entries takes what was written, for the window
     */
    void write(List<OpList> lists, List<JournalEntry> entries) throws DiskFailure {
        long nowMs = time.monotonicMs();
        JournalEntry entry = new JournalEntry(nextPosition, nowMs);
        encoder.begin();
        for (OpList list : lists) {
            encode(list, entry);
            if (entry.ops >= ENTRY_OPS || value.length() >= ENTRY_BYTES) {
                close(entry, entries);
                entry = new JournalEntry(nextPosition, nowMs);
            }
        }
        if (entry.ops > 0) {
            close(entry, entries);
        }
    }

    private void encode(OpList list, JournalEntry entry) {
        int kept = 0;
        for (int i = 0; i < list.size(); i++) {
            Op op = list.op(i);
            Object subject = list.subject(i);
            if (isWritten(op, subject)) {
                encoder.encode(op, subject, list.packetId(i));
                list.keep(i, kept++);
            }
        }
        counts.add(StoreMetric.APPENDS, appends);
        appends = 0;
        counts.add(StoreMetric.OPERATIONS, list.told);
        counts.add(StoreMetric.CANCELLED, list.told - kept);
        list.cut(kept);
        if (kept > 0) {
            entry.lists.add(list);
            entry.ops += kept;
        }
    }

    /** Whether it did not cancel; an append that goes into the journal becomes JOURNALED. */
    private boolean isWritten(Op op, Object subject) {
        if (!(subject instanceof QueuedMessage entry)) {
            return true;
        }
        if (op == Op.APPEND) {
            if (entry.stored(QueuedMessage.OPEN, QueuedMessage.JOURNALED)) {
                appends++;
                return true;
            }
            entry.note = CANCELLED;
            return false;
        }
        if (op == Op.IN_FLIGHT) {
            // Of QoS 1 what was acknowledged meanwhile: its removal follows.
            return entry.note != CANCELLED
                    && (entry.qos != 1 || entry.stored() != QueuedMessage.GONE);
        }
        return op != Op.RELEASED || entry.note != CANCELLED;
    }

    private void close(JournalEntry entry, List<JournalEntry> entries) throws DiskFailure {
        raiseClock(entry);
        journal.append(entry.position, value.array(), value.length());
        counts.add(StoreMetric.JOURNAL_BYTES, Journal.RECORD_HEADER + value.length());
        entry.bytes = encoder.newBytes() + 64L * entry.ops;
        entries.add(entry);
        nextPosition++;
        encoder.begin();
    }

    /** In the same record as what needs it: no id is ever durable above a durable ceiling. */
    private void raiseClock(JournalEntry entry) {
        long clock = Math.max(encoder.maxClock(), time.wallMs() << 16);
        if (clock > clockCeiling - CLOCK_AHEAD / 2) {
            clockCeiling = clock + CLOCK_AHEAD;
            OpList list = new OpList(null, 0, 1);
            list.add(Op.CLOCK, clockCeiling, 0, 0);
            encoder.encode(Op.CLOCK, clockCeiling, 0);
            entry.lists.add(list);
            entry.ops++;
        }
    }
}
