package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.StoreOwner;
import io.godwit.persistence.rocks.DamageReport;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.rocks.RocksLook;
import io.godwit.persistence.rocks.TableFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets one session or group go on whose queue is damaged, at a cost that goes by this queue alone:
 * everything that can be read of it moves to a new queue id, under which nothing is damaged. The
 * damaged block stays where it is, with the rest of the store, until the whole is set aside.
 *
 * <p>What is new is written first, then one batch makes it the session's queue, then the old rows
 * go: a crash leaves the old queue as it was, or the new one with rows that nobody needs.
 */
public final class QueueAside {
    private static final int BATCH_BYTES = 1 << 20;
    private static final String MOVED_WITH_IT = "BIRW";
    private static final String MOVED = "SAHGE";
    private static final String MADE_ANEW = "DQ";

    private final DiskView readable;
    private final Disk target;
    private final long from;
    private final long to;
    private final QueueCount count;
    private final Map<HybridId, Integer> withoutMessage = new HashMap<>();
    private final List<byte[]> oldRows = new ArrayList<>();
    private final List<byte[]> oldExpiries = new ArrayList<>();
    private final Batch batch = new Batch(1 << 16);
    private final StoredRow row = new StoredRow();
    private long lost;

    /**
     * What was done.
     *
     * @param queueId the new one; the old one when nothing of it was damaged
     * @param messages that go on, in flight or not
     * @param givenUp one sentence for each thing, without a full stop
     */
    public record Outcome(long queueId, long messages, List<String> givenUp) {}

    private QueueAside(DiskView readable, Disk target, long from, long to) {
        this.readable = readable;
        this.target = target;
        this.from = from;
        this.to = to;
        count = new QueueCount(to);
    }

    /**
     * Moves what can be read of a queue. Nobody else may have the store open.
     *
     * @param wallMs epoch milliseconds
     * @param newStore a random number, for a store that has no journal yet
     * @throws StoreUnusable when more than rows of queues is damaged
     */
    public static Outcome run(Path store, long queueId, long wallMs, long newStore)
            throws StoreUnusable, DiskFailure {
        int serverId = StoreOwner.of(store);
        long to;
        // The journal becomes rows, and a queue id is reserved.
        try (OpenedStore opened = OpenedStore.besideDamage(store, wallMs, newStore)) {
            to = QueueId.of(serverId, opened.floor().queueCounter() + 1);
        }
        try (RocksLook rocks = RocksLook.open(store)) {
            List<TableFile> tables = concerned(rocks.tables(), queueId);
            DamageReport report = DamageReport.of(store, tables);
            List<SalvageDisk.Gap> gaps = SalvageDisk.gaps(tables, report.tables());
            List<String> givenUp = new ArrayList<>();
            SalvageDisk readable = new SalvageDisk(rocks, gaps, givenUp::add);
            if (gaps.stream().noneMatch(gap -> gap.mayHaveRowsOf(queueId))
                    && !isAPayloadLost(readable, queueId)) {
                return new Outcome(queueId, 0, List.of());
            }
            report.note(store);
            try (RocksDisk target = RocksDisk.serve(store, 0)) {
                QueueAside work = new QueueAside(readable, target, queueId, to);
                long messages = work.move();
                report.tables().forEach(each -> givenUp.add(each.describe()));
                if (work.lost > 0) {
                    givenUp.add(work.lost + " messages whose payload can't be read");
                }
                return new Outcome(to, messages, List.copyOf(givenUp));
            }
        }
    }

    private static boolean isAPayloadLost(DiskView readable, long queueId) throws DiskFailure {
        StoredRow row = new StoredRow();
        try (Cursor cursor =
                readable.scan(
                        Family.QUEUES, Keys.rowsStart(queueId), Keys.rowsEnd(queueId, Keys.IDLE))) {
            while (cursor.next()) {
                row.read(cursor.value());
                if (isPayloadLost(readable, row)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isPayloadLost(DiskView readable, StoredRow row) throws DiskFailure {
        byte[] key = Keys.payload(row.server, row.counter);
        return !row.isMarker && row.isReference && readable.get(Family.PAYLOADS, key) == null;
    }

    /** Tables that may have rows of this queue. */
    private static List<TableFile> concerned(List<TableFile> tables, long queueId) {
        byte[] first = Keys.rowsStart(queueId);
        byte[] end = Keys.rowsEnd(queueId, Keys.IDLE);
        return tables.stream()
                .filter(each ->
                        each.family() == Family.QUEUES
                                && Arrays.compareUnsigned(each.smallest(), end) < 0
                                && Arrays.compareUnsigned(each.largest(), first) >= 0)
                .toList();
    }

    private long move() throws DiskFailure {
        rows();
        for (Map.Entry<HybridId, Integer> each : withoutMessage.entrySet()) {
            HybridId id = each.getKey();
            batch.delete(Family.QUEUES, Keys.row(to, Keys.IN_FLIGHT, id.clock(), id.server()));
            count.lost(id, each.getValue());
        }
        write();
        target.flush();
        records();
        write();
        target.flush();
        delete(Family.QUEUES, oldRows);
        delete(Family.EXPIRY, oldExpiries);
        target.flush();
        return count.idle + count.inFlight;
    }

    private void delete(Family family, List<byte[]> keys) throws DiskFailure {
        for (byte[] key : keys) {
            batch.delete(family, key);
            writeWhenLarge();
        }
        write();
    }

    private void rows() throws DiskFailure {
        try (Cursor cursor =
                readable.scan(Family.QUEUES, Keys.rowsStart(from), Keys.rowsEnd(from, Keys.IDLE))) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                byte[] value = cursor.value();
                row.read(value);
                oldRows.add(key);
                if (isPayloadLost(readable, row)) {
                    lost++;
                    continue;
                }
                take(key);
                batch.put(Family.QUEUES, moved(key, 0), value);
                writeWhenLarge();
            }
        }
    }

    private void take(byte[] key) {
        HybridId id = Keys.rowId(key);
        if (row.isMarker) {
            count.marker(row.kind, id, row.packetId);
            if (row.hasIdleRow()) {
                withoutMessage.put(id, row.packetId);
            }
            return;
        }
        boolean isIdle = key[8] == Keys.IDLE;
        count.row(isIdle, id, row.packetId, row.bytes);
        withoutMessage.remove(id);
        if (isIdle && row.expiresAtMs != Message.NEVER && !count.marked.contains(id)) {
            byte[] index = Keys.expiry(row.expiresAtMs, from, id.clock(), id.server());
            batch.put(Family.EXPIRY, moved(index, Long.BYTES), StoreImport.expiryValue(row.bytes));
            oldExpiries.add(index);
        }
    }

    /** Session or group with all that belongs to it, in one batch. */
    private void records() throws DiskFailure {
        boolean isGroup = readable.get(Family.META, Keys.meta('G', from)) != null;
        for (char letter : MOVED.toCharArray()) {
            move(Keys.meta(letter, from), readable.get(Family.META, Keys.meta(letter, from)));
        }
        for (char letter : MOVED_WITH_IT.toCharArray()) {
            byte[] prefix = Keys.meta(letter, from);
            try (Cursor cursor = readable.scan(Family.META, prefix, Keys.after(prefix))) {
                while (cursor.next()) {
                    move(cursor.key(), cursor.value());
                }
            }
        }
        for (char letter : MADE_ANEW.toCharArray()) {
            batch.delete(Family.META, Keys.meta(letter, from));
        }
        if (!count.isEmpty()) {
            QueueHandle.Kind kind =
                    isGroup ? QueueHandle.Kind.GROUP_PART : QueueHandle.Kind.SESSION;
            batch.put(Family.META, Keys.meta('D', to), count.toBytes(kind));
        }
    }

    private void move(byte[] key, byte @Nullable [] value) {
        if (value != null) {
            batch.put(Family.META, moved(key, 1), value);
            batch.delete(Family.META, key);
        }
    }

    /** The same key with the new queue id. */
    private byte[] moved(byte[] key, int at) {
        byte[] moved = key.clone();
        System.arraycopy(Keys.position(to), 0, moved, at, Long.BYTES);
        return moved;
    }

    private void writeWhenLarge() throws DiskFailure {
        if (batch.length() > BATCH_BYTES) {
            write();
        }
    }

    private void write() throws DiskFailure {
        if (!batch.isEmpty()) {
            target.write(batch);
            batch.clear();
        }
    }
}
