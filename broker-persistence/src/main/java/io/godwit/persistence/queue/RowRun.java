package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries of queues that change in one run: first every operation says where an entry shall
 * stand, then, grouped by queue, each is written once.
 */
final class RowRun {
    private final RowWriter writer;
    private final RowLookup lookup;
    private final Purge purge;
    private final boolean leftOutWhenJournaled;
    private final List<QueuedMessage> touched = new ArrayList<>();
    private final Sharing sharing = new Sharing();
    private final Map<CommitOutcome, List<QueuedMessage>> appended = new LinkedHashMap<>();

    /** Queues that begin again in this run: the rows that they had are deleted with it. */
    private final Set<Long> begun = new HashSet<>();

    RowRun(RowWriter writer, RowLookup lookup, Purge purge, StoreRules rules) {
        this.writer = writer;
        this.lookup = lookup;
        this.purge = purge;
        leftOutWhenJournaled = rules.holds(StoreRule.LEFT_OUT_WHEN_JOURNALED);
    }

    /**
     * One that its shard has removed becomes a row all the same while its removal is not in the
     * journal: a crash may take that, with what the removal leans on.
     *
     * @return whether it becomes a row
     */
    boolean append(QueuedMessage entry, @Nullable CommitOutcome outcome) {
        boolean isKept = entry.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW);
        if (!isKept && (Thinning.isVoid(entry) || !leftOutWhenJournaled)) {
            return false;
        }
        RowNote note = new RowNote();
        note.bytes = entry.bytes;
        note.wanted = RowNote.IDLE;
        entry.note = note;
        touch(entry, note);
        Message message = entry.message;
        if (message != null) {
            sharing.add(message);
        }
        if (isKept && outcome != null) {
            appended.computeIfAbsent(outcome, any -> new ArrayList<>()).add(entry);
        }
        return true;
    }

    void inFlight(QueuedMessage entry, int packetId) {
        if (!(entry.note instanceof RowNote note)
                || note.wanted == RowNote.NONE
                || note.wanted == RowNote.RELEASED) {
            return;
        }
        note.renumbered = RowNote.isInFlight(note.place) && note.placedPacketId != packetId;
        note.packetId = packetId;
        note.receiver = null;
        if (packetId == 0) {
            note.wanted = RowNote.IDLE;
        } else {
            note.wanted = note.hasIdleRow() ? RowNote.MARKED : RowNote.FLIGHT;
        }
        touch(entry, note);
    }

    /** Its row stays an idle one, with a marker beside it: the member may yet give it back. */
    void inFlightTo(QueuedMessage entry, int packetId, Receiver to) {
        if (entry.note instanceof RowNote note && note.wanted != RowNote.NONE) {
            note.renumbered = note.place == RowNote.MARKED;
            note.packetId = packetId;
            note.receiver = to;
            note.wanted = RowNote.MARKED;
            touch(entry, note);
        }
    }

    void released(QueuedMessage entry, int packetId) {
        if (entry.note instanceof RowNote note && note.wanted != RowNote.NONE) {
            // A row that was made after PUBREC came has the packet id of before, if there was one.
            note.renumbered = note.place == RowNote.RELEASED && note.placedPacketId != packetId;
            note.packetId = packetId;
            note.wanted = RowNote.RELEASED;
            touch(entry, note);
        }
    }

    void remove(QueuedMessage entry) {
        if (entry.note instanceof RowNote note) {
            note.wanted = RowNote.NONE;
            touch(entry, note);
        }
    }

    /** Whether the row of an entry that is in flight is to become idle again in this run. */
    boolean isIdleAgain(QueuedMessage row) {
        for (QueuedMessage entry : touched) {
            if (compare(entry, row) == 0
                    && entry.note instanceof RowNote note
                    && note.wanted == RowNote.IDLE) {
                return true;
            }
        }
        return false;
    }

    /** Forgets what was to become of a queue's entries: its rows are deleted with this run. */
    void forget(long queueId) {
        begun.add(queueId);
        touched.removeIf(entry -> {
            if (entry.queueId != queueId) {
                return false;
            }
            if (entry.note instanceof RowNote note) {
                note.touched = false;
                note.wanted = RowNote.NONE;
                note.place = RowNote.NONE;
            }
            return true;
        });
    }

    private void touch(QueuedMessage entry, RowNote note) {
        if (!note.touched) {
            note.touched = true;
            touched.add(entry);
        }
    }

    /**
     * Puts all changes into the batch.
     *
     * @return entries that became rows
     */
    int write(Batch batch) throws DiskFailure {
        touched.sort(RowRun::compare);
        int rows = 0;
        QueuedMessage before = null;
        for (QueuedMessage entry : touched) {
            if (!(entry.note instanceof RowNote note)) {
                continue;
            }
            if (before != null
                    && compare(before, entry) == 0
                    && before.note instanceof RowNote same) {
                // Removed by its id and by its entry: it goes once.
                note.place = same.place;
                note.placedPacketId = same.placedPacketId;
            } else if (note.place == RowNote.NONE && note.wanted != RowNote.NONE) {
                goOnFromRow(entry, note);
            }
            rows += note.place == RowNote.NONE && note.wanted != RowNote.NONE ? 1 : 0;
            Message message = entry.message;
            writer.move(batch, entry, note, message == null ? 1 : sharing.rows(message));
            note.touched = false;
            before = entry;
        }
        return rows;
    }

    /**
     * Finds the row of an entry that is appended again: a leader that has begun a new stream may
     * bring it a second time. Ids rise, so nothing is read for new entries.
     */
    private void goOnFromRow(QueuedMessage entry, RowNote note) throws DiskFailure {
        if (begun.contains(entry.queueId) || purge.isKnown(entry.queueId)) {
            return; // Its rows are about to be deleted.
        }
        QueuedMessage row = lookup.find(entry.queueId, entry.messageId, entry.server);
        if (row != null && row.note instanceof RowNote found) {
            note.goOnFrom(found);
        }
    }

    private static int compare(QueuedMessage a, QueuedMessage b) {
        int byQueue = Long.compareUnsigned(a.queueId, b.queueId);
        return byQueue != 0
                ? byQueue
                : HybridId.compare(a.messageId, a.server, b.messageId, b.server);
    }

    /** Tells each shard which of its entries are rows now; called after the write. */
    void tell() {
        for (Map.Entry<CommitOutcome, List<QueuedMessage>> each : appended.entrySet()) {
            List<QueuedMessage> rows = each.getValue();
            rows.removeIf(RowRun::isGone);
            if (!rows.isEmpty()) {
                each.getKey().onRows(rows.toArray(QueuedMessage[]::new));
            }
        }
    }

    private static boolean isGone(QueuedMessage entry) {
        return !(entry.note instanceof RowNote note) || note.place == RowNote.NONE;
    }

    void clear() {
        touched.clear();
        sharing.clear();
        appended.clear();
        begun.clear();
    }
}
