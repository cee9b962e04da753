package io.godwit.persistence.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sets aside what a copy has and its leader never had: entries under a status of their own, which
 * no queue counts, and the records of the session or group that they belong to. Nothing here ends
 * with the queue, expires or is given to anybody.
 *
 * <p>It is written before the copy's own rows go, each entry with its own use of a shared payload,
 * and an entry that is there already is left alone: a crash in between has the part applied once
 * more, and changes nothing here. On the row worker, between two runs of the {@link Materialiser}.
 *
 * <pre>
 * QUEUES: queue id 8 | 2 | message id       a whole row, as of an idle or an in-flight entry
 * 'A' queue id 8                            entries varint | bytes varint
 * 'A' queue id 8 | generation 11 | letter 1 | rest
 *                                           value of the record with this letter ('S', 'G' or 'B');
 *                                           a group has the generation 0
 * </pre>
 */
public final class AsideRows {
    private static final int BATCH_BYTES = 1 << 20;

    private static final long TOLD_EVERY_MS = 60_000;

    /**
     * Counts what is set aside of a queue.
     *
     * @param bytes as {@link QueuedMessage#bytes} says of each entry
     */
    public record Counts(long entries, long bytes) {
        /**
         * @throws IndexOutOfBoundsException when these bytes are none
         */
        public static Counts of(byte[] value) {
            ByteReader in = new ByteReader(value);
            long entries = in.varint();
            return new Counts(entries, in.varint());
        }

        public byte[] toBytes() {
            return new ByteWriter(10).varint(entries).varint(bytes).toBytes();
        }
    }

    private final Disk disk;
    private final Payloads payloads;
    private final StoreCounts counts;
    private final Map<Long, Counts> all = new HashMap<>();
    private final Batch batch = new Batch();
    private final ByteWriter value = new ByteWriter(256);
    private final StoredRow row = new StoredRow();

    /** Queues whose counts have changed since they were written. */
    private final Set<Long> touched = new HashSet<>();

    private RowProgress progress = RowProgress.UNHEARD;

    /** What was set aside since the log was told, by leader. */
    private final Map<Integer, News> news = new TreeMap<>();

    private long toldMs = Long.MIN_VALUE;

    private static final class News {
        final Set<Long> queues = new HashSet<>();
        long entries;
    }

    AsideRows(Disk disk, Payloads payloads, StoreCounts counts) {
        this.disk = disk;
        this.payloads = payloads;
        this.counts = counts;
    }

    /** Reads the counts. */
    public void load(RowProgress to) throws DiskFailure {
        progress = to;
        counts(disk).forEach(this::set);
    }

    /** Tells whether a key of 'A' has counts, and not a record. */
    public static boolean isCounts(byte[] key) {
        return key.length == 1 + Long.BYTES;
    }

    private void set(long queueId, Counts now) {
        Counts before = all.put(queueId, now);
        counts.add(StoreMetric.ASIDE_QUEUES, before == null ? 1 : 0);
        counts.add(StoreMetric.ASIDE_ENTRIES, now.entries - (before == null ? 0 : before.entries));
        counts.add(StoreMetric.ASIDE_BYTES, now.bytes - (before == null ? 0 : before.bytes));
    }

    private void add(long queueId, long entries, long bytes) {
        Counts before = all.get(queueId);
        set(
                queueId,
                before == null
                        ? new Counts(entries, bytes)
                        : new Counts(before.entries + entries, before.bytes + bytes));
        touched.add(queueId);
        if (entries > 0 || before == null) {
            News of = news.computeIfAbsent(QueueId.server(queueId), any -> new News());
            of.queues.add(queueId);
            of.entries += entries;
        }
    }

    /**
     * Returns sentences for the log about what was set aside since they were taken last; none
     * within a minute of the last ones.
     *
     * @param nowMs monotonic milliseconds
     */
    public List<String> takeNews(long nowMs) {
        if (news.isEmpty() || toldMs != Long.MIN_VALUE && nowMs - toldMs < TOLD_EVERY_MS) {
            return List.of();
        }
        toldMs = nowMs;
        List<String> text = new ArrayList<>();
        news.forEach((leader, each) ->
                text.add(
                        "set aside %d messages of %d sessions of the node with server id %d, which"
                                        .formatted(each.entries, each.queues.size(), leader)
                                + " does not have them: its disk has lost them, or was set back"));
        news.clear();
        return text;
    }

    /**
     * Sets an entry aside; one that has no message any more is left out, since its subscriber has
     * it.
     *
     * @param entry a row, or an append that waits in the window
     * @throws Unreadable when its row can't be read
     */
    public void entry(QueuedMessage entry) throws DiskFailure {
        byte[] key = Keys.row(entry.queueId, Keys.ASIDE, entry.messageId, entry.server);
        if (disk.get(Family.QUEUES, key) != null) {
            return;
        }
        RowNote note = entry.note instanceof RowNote of ? of : new RowNote();
        Message message = entry.message;
        int bytes;
        if (note.place != RowNote.NONE) {
            byte[] stored = disk.get(Family.QUEUES, place(entry, note));
            if (stored == null) {
                return;
            }
            row.read(stored);
            if (row.isMarker) {
                return;
            }
            if (row.isReference && !payloads.isUsed(row.server, row.counter)) {
                return; // Its message is lost: the store is damaged.
            }
            if (row.isReference) {
                payloads.use(batch, row.server, row.counter, null);
            }
            bytes = row.bytes;
            batch.put(Family.QUEUES, key, stored);
        } else if (message != null) {
            bytes = entry.bytes;
            put(key, entry, message);
        } else {
            return;
        }
        add(entry.queueId, 1, bytes);
        if (batch.length() > BATCH_BYTES) {
            write();
        }
    }

    private static byte[] place(QueuedMessage entry, RowNote note) {
        byte status = note.hasIdleRow() ? Keys.IDLE : Keys.IN_FLIGHT;
        return Keys.row(entry.queueId, status, entry.messageId, entry.server);
    }

    private void put(byte[] key, QueuedMessage entry, Message message) throws DiskFailure {
        value.clear();
        if (payloads.standsApart(message, 1)) {
            payloads.use(batch, message.ingressServer, message.ingressCounter, message);
            StoredRow.writeReference(
                    value,
                    entry.qos,
                    entry.retain,
                    entry.ids,
                    0,
                    message.ingressServer,
                    message.ingressCounter,
                    entry.bytes,
                    message.expiresAtMs);
        } else {
            StoredRow.write(value, entry.qos, entry.retain, entry.ids, 0, message);
        }
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    /**
     * Keeps a record of a queue of which something is set aside.
     *
     * @param generation of the queue's session; {@link HybridId#NONE} of a group
     * @param key of a session, a group or a subscription
     */
    public void record(HybridId generation, byte[] key, byte[] stored) {
        batch.put(Family.META, Keys.aside(generation, key), stored);
        add(Keys.longAt(key, 1), 0, 0);
    }

    /** Writes what was set aside since this was called last. */
    public void write() throws DiskFailure {
        if (touched.isEmpty()) {
            return;
        }
        for (Long queueId : touched) {
            byte[] stored = all.getOrDefault(queueId, new Counts(0, 0)).toBytes();
            batch.put(Family.META, Keys.meta('A', queueId), stored);
        }
        payloads.write(batch, progress);
        disk.write(batch);
        batch.clear();
        touched.clear();
    }

    /** Tells whether a key in QUEUES is of a row that is set aside. */
    public static boolean isAside(byte[] key) {
        return key[Long.BYTES] == Keys.ASIDE;
    }

    /** Reads the counts of the queues of which something is set aside. */
    public static Map<Long, Counts> counts(DiskView disk) throws DiskFailure {
        Map<Long, Counts> found = new TreeMap<>(Long::compareUnsigned);
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'A'}, new byte[] {'A' + 1})) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                if (isCounts(key)) {
                    found.put(Keys.longAt(key, 1), Counts.of(cursor.value()));
                }
            }
        }
        return found;
    }
}
