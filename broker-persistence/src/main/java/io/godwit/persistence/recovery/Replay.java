package io.godwit.persistence.recovery;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.StoreDamaged;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.Op;
import io.godwit.persistence.journal.OpDecoder;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.journal.Subject;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.KeptEntry;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.RowLookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of what the journal holds behind the position that the rows stand for. The operations
 * become what they were when they waited in memory and go the same way to the disk; a part of the
 * journal at a time, so that memory is bounded and what was removed in the same part never becomes
 * a row. A crash meanwhile changes nothing: each write takes its part of the journal along.
 */
public final class Replay implements OpDecoder.Target {
    private static final int PART_OPS = 200_000;
    private static final long PART_BYTES = 32 << 20;
    private static final int RUN_OPS = 2048;

    private record EntryId(long queueId, long messageId) {}

    private record InboundId(long queueId, int packetId) {}

    private final Disk disk;
    private final Materialiser materialiser;
    private final Inbounds inbounds;
    private final Arrivals arrivals;
    private final RowLookup rows;
    private final Map<EntryId, QueuedMessage> entries = new HashMap<>();
    private final Map<InboundId, Inbound> ofPart = new HashMap<>();
    private final List<JournalEntry> part = new ArrayList<>();
    private OpList open = list();
    private @Nullable DiskFailure failure;
    private long next;
    private int ops;
    private long bytes;

    public Replay(Disk disk, StoreRules rules, Materialiser materialiser, Inbounds inbounds) {
        this.disk = disk;
        this.materialiser = materialiser;
        this.inbounds = inbounds;
        arrivals = new Arrivals(inbounds, true);
        rows = new RowLookup(disk);
        next = materialiser.position() + (rules.replayBehindRows() ? 1 : 2);
    }

    /**
     * Replays everything.
     *
     * @return records of the journal that were there
     */
    public long run(Journal journal) throws DiskFailure {
        long first = next;
        journal.replay(next - 1, this::record);
        write();
        return next - first;
    }

    private void record(long position, byte[] value) throws DiskFailure {
        if (position != next) {
            throw new StoreDamaged(
                    "the journal goes on with "
                            + position
                            + " where "
                            + next
                            + " is expected: commits are missing");
        }
        next++;
        ops += read(position, value);
        bytes += value.length;
        if (ops >= PART_OPS || bytes >= PART_BYTES) {
            write();
        }
    }

    private int read(long position, byte[] value) throws DiskFailure {
        open = list();
        try {
            OpDecoder.decode(value, this);
        } catch (IndexOutOfBoundsException e) {
            throw new StoreDamaged("entry " + position + " of the journal is damaged", e);
        }
        if (failure != null) {
            throw failure;
        }
        JournalEntry entry = new JournalEntry(position, 0);
        entry.lists.add(open);
        entry.ops = open.size();
        arrivals.arrive(entry);
        part.add(entry);
        return entry.ops;
    }

    private void write() throws DiskFailure {
        List<JournalEntry> run = new ArrayList<>();
        int runOps = 0;
        for (JournalEntry entry : part) {
            run.add(entry);
            runOps += entry.ops;
            if (runOps >= RUN_OPS) {
                materialiser.write(run, arrivals);
                run.clear();
                runOps = 0;
            }
        }
        if (!run.isEmpty()) {
            materialiser.write(run, arrivals);
        }
        ops = 0;
        bytes = 0;
        part.clear();
        entries.clear();
        ofPart.clear();
    }

    private static OpList list() {
        return new OpList(null, 0, 16);
    }

    @Override
    public void append(
            long queueId,
            long messageId,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Message message) {
        KeptEntry entry = KeptEntry.journaled(queueId, messageId, message, qos, retain, ids);
        entries.put(new EntryId(queueId, messageId), entry);
        open.add(Op.APPEND, entry, 0, 0);
    }

    @Override
    public void entry(Op op, long queueId, long messageId, int packetId) {
        QueuedMessage entry = find(queueId, messageId);
        if (entry == null) {
            // It had no row: it was removed before the rows came to stand for its append.
            return;
        }
        if (op == Op.IN_FLIGHT || op == Op.RELEASED) {
            entry.packetId = packetId;
            open.add(op, entry, packetId, 0);
        } else if (entry.takeBack() == QueuedMessage.ROW) {
            open.add(Op.REMOVE, entry, 0, 0);
        }
    }

    @Override
    public void inFlightTo(long queueId, long messageId, int packetId, Receiver to) {
        QueuedMessage entry = find(queueId, messageId);
        if (entry != null) {
            entry.packetId = packetId;
            open.add(Op.IN_FLIGHT_TO, new Subject.InFlightTo(entry, to), packetId, 0);
        }
    }

    private @Nullable QueuedMessage find(long queueId, long messageId) {
        EntryId id = new EntryId(queueId, messageId);
        QueuedMessage entry = entries.get(id);
        if (entry == null && failure == null) {
            try {
                entry = rows.find(queueId, messageId);
            } catch (DiskFailure e) {
                failure = e;
            }
            if (entry != null) {
                entries.put(id, entry);
            }
        }
        return entry;
    }

    @Override
    public void inbound(Op op, long queueId, int packetId, long ingressCounter) {
        InboundId id = new InboundId(queueId, packetId);
        if (op == Op.INBOUND) {
            Inbound inbound = new Inbound(queueId, packetId, ingressCounter);
            ofPart.put(id, inbound);
            open.add(op, inbound, 0, 0);
            return;
        }
        Inbound inbound = ofPart.get(id);
        if (inbound == null) {
            inbound = stored(queueId, packetId);
        }
        if (inbound != null && inbound.ingressCounter == ingressCounter) {
            inbound.taken |= op == Op.INBOUND_TAKEN;
            open.add(op, inbound, 0, 0);
        }
    }

    private @Nullable Inbound stored(long queueId, int packetId) {
        byte[] key = Keys.inbound(queueId, packetId);
        try {
            byte[] value = disk.get(Family.META, key);
            return value == null ? null : inbounds.find(key, value);
        } catch (DiskFailure e) {
            failure = e;
            return null;
        }
    }

    @Override
    public void other(Op op, Object subject) {
        if (op == Op.SESSION_GONE || op == Op.GROUP_GONE) {
            // What the window would have let go of.
            ofPart.keySet().removeIf(id -> id.queueId == ((Subject.OfQueue) subject).queueId());
        }
        open.add(op, subject, 0, 0);
    }
}
