package io.godwit.persistence.recovery;

import io.godwit.core.id.Epoch;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.StoreDamaged;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import io.godwit.persistence.queue.Arrivals;
import io.godwit.persistence.queue.Homes;
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

    private record EntryId(long queueId, long clock, int server) {}

    private record InboundId(long queueId, int packetId) {}

    private final Disk disk;
    private final Materialiser materialiser;
    private final Inbounds inbounds;
    private final Homes homes;
    private final Arrivals arrivals;
    private final RowLookup rows;
    private final Map<EntryId, QueuedMessage> entries = new HashMap<>();
    private final Map<InboundId, Inbound> ofPart = new HashMap<>();
    private final List<JournalEntry> waiting = new ArrayList<>();
    private OpList open = list();
    private int ops;
    private long bytes;

    public Applier(Disk disk, Materialiser materialiser, Inbounds inbounds, Homes homes) {
        this.homes = homes;
        this.disk = disk;
        this.materialiser = materialiser;
        this.inbounds = inbounds;
        arrivals = new Arrivals(inbounds, homes, true);
        rows = materialiser.rows();
    }

    /**
     * Takes a record; it is on its way to the disk at the latest when {@link #write} returns.
     *
     * @throws StoreDamaged when it can't be understood
     */
    public void record(long position, byte[] value) throws DiskFailure {
        try {
            for (Part part : Part.of(value)) {
                open = list();
                apply(part);
                add(position);
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
        if (ops >= PART_OPS || bytes >= PART_BYTES) {
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
                PartDecoder in = part.decode();
                while (in.next()) {
                    if (in.op == Op.APPEND) {
                        covered(in);
                    }
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new StoreDamaged("record " + position + " of the journal is damaged", e);
        }
    }

    private void covered(PartDecoder in) {
        materialiser.covered(in.queueId, in.previousClock, in.previousServer, in.clock, in.server);
    }

    /** Nothing of this record counts, but rows stand for everything up to it all the same. */
    void passed(long position) {
        JournalEntry entry = new JournalEntry(position, 0);
        waiting.add(entry);
    }

    private void add(long position) {
        JournalEntry entry = new JournalEntry(position, 0);
        entry.lists.add(open);
        entry.ops = open.size();
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
        entries.clear();
        ofPart.clear();
    }

    private static OpList list() {
        return new OpList(null, 0, 16);
    }

    private void apply(Part part) throws DiskFailure {
        PartDecoder in = part.decode();
        boolean isForeign = part.kind() == Part.Kind.FOREIGN;
        if (isForeign) {
            for (int i = 0; i < in.queues(); i++) {
                homes.elsewhere(in.queueId(i), new Epoch(in.epoch(i), in.home()));
            }
        }
        while (in.next()) {
            switch (in.op) {
                case APPEND -> append(in);
                case IN_FLIGHT, IN_FLIGHT_TO, RELEASED, REMOVE, ROW_GONE -> entry(in);
                case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> inbound(in);
                case SESSION_GONE, GROUP_GONE -> {
                    // What the window would have let go of.
                    ofPart.keySet().removeIf(id -> id.queueId == in.queueId);
                    open.add(in.op, in.subject, 0, 0);
                }
                case ADOPTED, CLOCK, QUEUE_IDS, STREAM -> {
                    // What another node has reserved never moves what this one has.
                    if (!isForeign) {
                        open.add(in.op, in.subject, 0, 0);
                    }
                }
                case SESSION,
                        SUBSCRIPTION,
                        SUBSCRIPTION_GONE,
                        GROUP,
                        GOT,
                        GOT_GONE,
                        RETAINED,
                        RETAINED_GONE ->
                        open.add(in.op, in.subject, 0, 0);
            }
        }
        if (isForeign) {
            open.add(
                    Op.STREAM,
                    new Subject.StreamAt(part.server(), part.start(), part.position()),
                    0,
                    0);
        }
    }

    private void append(PartDecoder in) {
        KeptEntry entry =
                KeptEntry.journaled(
                        in.queueId, in.clock, in.server, in.message, in.qos, in.retain, in.ids);
        entry.packetId = in.packetId;
        entry.ingressServer = in.ingressServer;
        entry.ingressCounter = in.ingressCounter;
        entries.put(new EntryId(in.queueId, in.clock, in.server), entry);
        covered(in);
        open.add(Op.APPEND, entry, 0, 0);
    }

    private void entry(PartDecoder in) throws DiskFailure {
        EntryId id = new EntryId(in.queueId, in.clock, in.server);
        QueuedMessage entry = entries.get(id);
        boolean changes = in.op != Op.REMOVE && in.op != Op.ROW_GONE;
        if (entry == null && changes) {
            entry = rows.find(in.queueId, in.clock, in.server);
            if (entry != null) {
                entries.put(id, entry);
            }
        }
        if (changes) {
            if (entry != null) {
                entry.packetId = in.packetId;
                Object subject =
                        in.op == Op.IN_FLIGHT_TO
                                ? new Subject.InFlightTo(entry, (Receiver) in.subject)
                                : entry;
                open.add(in.op, subject, in.packetId, 0);
            }
            // Else it had no row: it was removed before the rows came to stand for its append.
        } else if (entry == null) {
            // Its row, if it has one, is looked for once, when it goes.
            open.add(Op.REMOVE, new Subject.RowGone(in.queueId, in.clock, in.server), 0, 0);
        } else if (entry.takeBack() == QueuedMessage.ROW) {
            open.add(Op.REMOVE, entry, 0, 0);
        }
    }

    private void inbound(PartDecoder in) throws DiskFailure {
        InboundId id = new InboundId(in.queueId, in.packetId);
        if (in.op == Op.INBOUND) {
            Inbound inbound =
                    new Inbound(in.queueId, in.packetId, in.ingressServer, in.ingressCounter);
            ofPart.put(id, inbound);
            open.add(in.op, inbound, 0, 0);
            return;
        }
        Inbound inbound = ofPart.get(id);
        if (inbound == null) {
            inbound = stored(in.queueId, in.packetId);
        }
        if (inbound != null
                && inbound.ingressCounter == in.ingressCounter
                && inbound.ingressServer == in.ingressServer) {
            inbound.taken |= in.op == Op.INBOUND_TAKEN;
            open.add(in.op, inbound, 0, 0);
        }
    }

    private @Nullable Inbound stored(long queueId, int packetId) throws DiskFailure {
        byte[] key = Keys.inbound(queueId, packetId);
        byte[] value = disk.get(Family.META, key);
        return value == null ? null : inbounds.find(key, value);
    }

    /** Up to where another node's stream stands here: nothing for a node that never sent any. */
    public static Subject.@Nullable StreamAt stream(Disk disk, int server) throws DiskFailure {
        byte[] value = disk.get(Family.META, Keys.stream(server));
        if (value == null) {
            return null;
        }
        ByteReader in = new ByteReader(value);
        long start = in.varint();
        return new Subject.StreamAt(server, start, in.varint());
    }
}
