package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.queue.QueueLeaders;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares everything in a store that says the same thing twice: counts with rows, uses of payloads
 * with the rows that refer to them, the index of expiries with the rows that expire, and queues
 * with sessions and groups. Reads every record; memory goes by queues and shared payloads, not
 * rows.
 */
public final class StoreVerify {
    private final DiskView disk;
    private final Consumer<String> problems;
    private final Map<PayloadId, Long> uses = new HashMap<>();
    private final Map<Long, String> owners = new HashMap<>();
    private final Set<Long> purged = new HashSet<>();
    private final Set<Long> counted = new HashSet<>();

    /** Queues that other nodes lead: their records may come behind their messages. */
    private final Set<Long> led = new HashSet<>();

    private long rowsOfCopies;
    private final StoredRow row = new StoredRow();
    private long expiring;
    private long rows;
    private long copies;
    private QueueCount queue = new QueueCount(0);

    /** What is set aside, by queue: entries and bytes. */
    private final Map<Long, long[]> aside = new HashMap<>();

    private long rowsAside;

    /**
     * @param problems takes one sentence for each, without a full stop
     */
    public StoreVerify(DiskView disk, Consumer<String> problems) {
        this.disk = disk;
        this.problems = problems;
    }

    /** Compares everything. What can't be read is a problem, and the rest is compared still. */
    public void run() {
        each(Family.META, 'P', (key, value) -> purged.add(Keys.longAt(key, 1)));
        each(Family.META, 'H', this::leader);
        each(Family.META, 'S', this::session);
        each(
                Family.META,
                'G',
                (key, value) -> {
                    ByteReader in = new ByteReader(value);
                    int part = in.u8();
                    owners.put(
                            Keys.longAt(key, 1),
                            "group " + new TopicFilter(in.rest()) + ", part " + part);
                });
        each(
                Family.META,
                'E',
                (key, value) ->
                        owners.put(
                                Keys.longAt(value, 0),
                                "before queue " + Queues.text(Keys.longAt(key, 1))));
        belongs('B', "subscription");
        belongs('I', "inbound PUBLISH");
        belongs('R', "remembered message");
        each(Family.META, 'R', IngressRows::of);
        belongs('W', "change of a row that could not be read");
        each(Family.QUEUES, null, this::row);
        end();
        each(Family.META, 'D', this::depthWithoutRows);
        aside();
        each(Family.PAYLOADS, null, this::payload);
        each(Family.META, 'U', this::usesOfPayload);
        uses.forEach((id, count) ->
                problems.accept(
                        "payload "
                                + text(id)
                                + ": "
                                + count
                                + " rows refer to it, but it has no count"));
        index();
        each(Family.RETAINED, null, this::retained);
    }

    /** Compares what there is of one queue; only its rows are read. */
    public void run(long queueId) {
        each(Family.QUEUES, Keys.rowsStart(queueId), Keys.rowsEnd(queueId, Keys.IDLE), this::row);
        if (queue.queueId == queueId) {
            end();
        }
        try {
            byte[] depth = disk.get(Family.META, Keys.meta('D', queueId));
            if (depth != null) {
                depthWithoutRows(Keys.meta('D', queueId), depth);
            }
        } catch (DiskFailure e) {
            problems.accept(String.valueOf(e.getMessage()));
        }
    }

    /** Queues that have neither a session nor a group here. */
    public long copies() {
        return copies;
    }

    /** Rows in copies of queues that other nodes lead. */
    public long rowsOfCopies() {
        return rowsOfCopies;
    }

    /** Messages that are set aside, of copies whose leaders do not have them. */
    public long rowsAside() {
        return rowsAside;
    }

    /** Rows of queues, markers included. */
    public long rows() {
        return rows;
    }

    private interface Record {
        void look(byte[] key, byte[] value) throws DiskFailure;
    }

    private void each(Family family, @Nullable Character letter, Record record) {
        byte[] from = letter == null ? new byte[0] : new byte[] {(byte) letter.charValue()};
        byte[] to = letter == null ? null : new byte[] {(byte) (letter + 1)};
        each(family, from, to, record);
    }

    private void each(Family family, byte[] from, byte @Nullable [] to, Record record) {
        try (Cursor cursor = disk.scan(family, from, to)) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                try {
                    record.look(key, cursor.value());
                } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                    problems.accept(
                            "a record of "
                                    + family.columnFamily()
                                    + " can't be understood: key "
                                    + HexFormat.of().formatHex(key));
                }
            }
        } catch (DiskFailure e) {
            problems.accept(String.valueOf(e.getMessage()));
        }
    }

    private void leader(byte[] key, byte[] value) {
        if (!QueueLeaders.Leader.of(value).isThisNode()) {
            led.add(Keys.longAt(key, 1));
        }
    }

    private void session(byte[] key, byte[] value) {
        long queueId = Keys.longAt(key, 1);
        ByteReader in = new ByteReader(value);
        ClientId clientId = new ClientId(in.sized());
        SessionCodec.read(in, queueId);
        owners.put(queueId, "client " + clientId);
    }

    private void belongs(char letter, String what) {
        Set<Long> told = new HashSet<>();
        each(
                Family.META,
                letter,
                (key, value) -> {
                    long queueId = Keys.longAt(key, 1);
                    if (queueId != 0
                            && !owners.containsKey(queueId)
                            && !purged.contains(queueId)
                            && !led.contains(queueId)
                            && told.add(queueId)) {
                        problems.accept(
                                "queue "
                                        + Queues.text(queueId)
                                        + " has a "
                                        + what
                                        + ", but no session");
                    }
                });
    }

    private void row(byte[] key, byte[] value) throws DiskFailure {
        long queueId = Keys.rowQueue(key);
        if (AsideRows.isAside(key)) {
            rowAside(queueId, key, value);
            return;
        }
        if (queue.queueId != queueId) {
            end();
            queue = new QueueCount(queueId);
        }
        rows++;
        rowsOfCopies += led.contains(queueId) ? 1 : 0;
        row.read(value);
        HybridId id = Keys.rowId(key);
        if (row.isMarker) {
            queue.marker(row.kind, id, row.packetId);
            return;
        }
        boolean isIdle = key[8] == Keys.IDLE;
        queue.row(isIdle, id, row.packetId, row.bytes);
        payloadOf(queueId, id);
        if (isIdle && row.expiresAtMs != Message.NEVER && !queue.marked.contains(id)) {
            expiring++;
            byte[] index = Keys.expiry(row.expiresAtMs, queueId, id.clock(), id.server());
            if (disk.get(Family.EXPIRY, index) == null) {
                problems.accept(
                        name(queueId)
                                + ": message "
                                + Queues.text(id)
                                + " expires, but the index of expiries doesn't have it");
            }
        }
    }

    private void payloadOf(long queueId, HybridId id) throws DiskFailure {
        if (row.isReference) {
            uses.merge(new PayloadId(row.server, row.counter), 1L, Long::sum);
            if (disk.get(Family.PAYLOADS, Keys.payload(row.server, row.counter)) == null) {
                problems.accept(
                        name(queueId)
                                + ": message "
                                + Queues.text(id)
                                + " refers to payload "
                                + row.server
                                + ":"
                                + row.counter
                                + ", which is missing");
            }
        }
    }

    private void rowAside(long queueId, byte[] key, byte[] value) throws DiskFailure {
        row.read(value);
        HybridId id = Keys.rowId(key);
        if (row.isMarker) {
            problems.accept(
                    name(queueId) + ": message " + Queues.text(id) + " is set aside, but is none");
            return;
        }
        rowsAside++;
        long[] counted = aside.computeIfAbsent(queueId, any -> new long[2]);
        counted[0]++;
        counted[1] += row.bytes;
        payloadOf(queueId, id);
    }

    private void aside() {
        each(
                Family.META,
                'A',
                (key, value) -> {
                    long queueId = Keys.longAt(key, 1);
                    if (!AsideRows.isCounts(key)) {
                        byte[] record = Keys.ofAside(key);
                        MetaRecords.check(record, value);
                        return;
                    }
                    AsideRows.Counts counts = AsideRows.Counts.of(value);
                    long[] found = aside.remove(queueId);
                    long entries = found == null ? 0 : found[0];
                    long bytes = found == null ? 0 : found[1];
                    if (counts.entries() != entries || counts.bytes() != bytes) {
                        problems.accept(
                                name(queueId)
                                        + ": "
                                        + entries
                                        + " messages of "
                                        + bytes
                                        + " bytes are set aside, "
                                        + counts.entries()
                                        + " of "
                                        + counts.bytes()
                                        + " counted");
                    }
                });
        aside.forEach((queueId, found) ->
                problems.accept(
                        name(queueId) + ": " + found[0] + " messages are set aside, none counted"));
    }

    private void end() {
        if (queue.queueId == 0 && queue.isEmpty()) {
            return;
        }
        long queueId = queue.queueId;
        counted.add(queueId);
        if (!owners.containsKey(queueId) && !purged.contains(queueId)) {
            copies++; // of a queue whose session or group another node leads
        }
        if (purged.contains(queueId)) {
            return; // what is being deleted is counted when it is done
        }
        try {
            byte[] depth = disk.get(Family.META, Keys.meta('D', queueId));
            String wrong = depth == null ? "its count is missing" : queue.compare(depth);
            if (!wrong.isEmpty()) {
                problems.accept(name(queueId) + ": " + wrong);
            }
        } catch (DiskFailure e) {
            problems.accept(name(queueId) + ": " + e.getMessage());
        }
    }

    private void depthWithoutRows(byte[] key, byte[] value) {
        long queueId = Keys.longAt(key, 1);
        if (!counted.contains(queueId) && !purged.contains(queueId)) {
            String wrong = new QueueCount(queueId).compare(value);
            if (!wrong.isEmpty()) {
                problems.accept(name(queueId) + ": " + wrong);
            }
        }
    }

    private void payload(byte[] key, byte[] value) {
        Message message = MessageCodec.read(new ByteReader(value));
        byte[] own = Keys.payload(message.ingressServer, message.ingressCounter);
        PayloadId id = new PayloadId(message.ingressServer, message.ingressCounter);
        if (!Arrays.equals(own, key)) {
            problems.accept("payload " + text(id) + " stands under another id");
        } else if (!uses.containsKey(id)) {
            problems.accept("payload " + text(id) + " is referred to by no row");
        }
    }

    private void usesOfPayload(byte[] key, byte[] value) {
        int server = (int) (Keys.longAt(key, 1) >>> 32);
        PayloadId id = new PayloadId(server, Keys.longAt(key, 5));
        Long referring = uses.remove(id);
        long count = new ByteReader(value).varint();
        if (referring == null || referring != count) {
            problems.accept(
                    "payload "
                            + text(id)
                            + ": "
                            + (referring == null ? 0 : referring)
                            + " rows refer to it, "
                            + count
                            + " counted");
        }
    }

    private void index() {
        long[] entries = {0};
        each(
                Family.EXPIRY,
                null,
                (key, value) -> {
                    entries[0]++;
                    long queueId = Keys.longAt(key, 8);
                    HybridId id = new HybridId(Keys.longAt(key, 16), Keys.intAt(key, 24));
                    byte[] row = Keys.row(queueId, Keys.IDLE, id.clock(), id.server());
                    if (disk.get(Family.QUEUES, row) == null) {
                        problems.accept(
                                name(queueId)
                                        + ": the index of expiries has message "
                                        + Queues.text(id)
                                        + ", which is no row");
                    }
                });
        if (entries[0] != expiring) {
            problems.accept(
                    "the index of expiries has "
                            + entries[0]
                            + " entries for "
                            + expiring
                            + " rows");
        }
    }

    private void retained(byte[] key, byte[] value) {
        Message message = StoredRetained.of(value).message();
        if (message != null && !Arrays.equals(message.topic.bytes(), key)) {
            problems.accept(
                    "the retained message of " + message.topic + " stands under another topic");
        }
    }

    private String name(long queueId) {
        String owner = owners.get(queueId);
        return "queue " + Queues.text(queueId) + (owner == null ? "" : " (" + owner + ")");
    }

    private static String text(PayloadId id) {
        return id.server() + ":" + id.counter();
    }
}
