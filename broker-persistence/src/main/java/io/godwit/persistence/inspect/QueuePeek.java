package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.MessageCodec;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shows the oldest messages of a queue: first what is in flight, then what waits. */
public final class QueuePeek {
    /**
     * A message of a queue.
     *
     * @param state {@code idle}, {@code in-flight} or {@code released} (PUBREC came)
     * @param packetId 0 while idle
     * @param message null when only a marker is left, or when it is missing
     */
    public record Seen(
            HybridId messageId, String state, int packetId, int qos, @Nullable Message message) {}

    /** Takes messages. */
    public interface Target {
        void seen(Seen message);
    }

    private final DiskView disk;
    private final StoredRow row = new StoredRow();

    public QueuePeek(DiskView disk) {
        this.disk = disk;
    }

    /**
     * Shows at most so many.
     *
     * @return how many were shown
     */
    public int show(long queueId, int limit, Target target) throws DiskFailure {
        int shown = 0;
        Set<HybridId> inFlight = new HashSet<>();
        try (Cursor rows =
                disk.scan(
                        Family.QUEUES, Keys.rowsStart(queueId), Keys.rowsEnd(queueId, Keys.IDLE))) {
            while (shown < limit && rows.next()) {
                byte[] key = rows.key();
                HybridId messageId = Keys.rowId(key);
                if (key[8] == Keys.IDLE && inFlight.contains(messageId)) {
                    continue;
                }
                row.read(rows.value());
                if (row.hasIdleRow()) {
                    inFlight.add(messageId);
                }
                target.seen(seen(queueId, key[8] == Keys.IDLE, messageId));
                shown++;
            }
        }
        return shown;
    }

    private Seen seen(long queueId, boolean isIdle, HybridId messageId) throws DiskFailure {
        if (!row.isMarker) {
            String state = isIdle ? "idle" : "in-flight";
            return new Seen(messageId, state, row.packetId, row.qos, message());
        }
        int packetId = row.packetId;
        return switch (row.kind) {
            case StoredRow.IDLE_ROW, StoredRow.TO_MEMBER ->
                    of(queueId, messageId, "in-flight", packetId);
            default -> new Seen(messageId, "released", packetId, 2, null);
        };
    }

    private Seen of(long queueId, HybridId id, String state, int packetId) throws DiskFailure {
        byte[] key = Keys.row(queueId, Keys.IDLE, id.clock(), id.server());
        byte[] idle = disk.get(Family.QUEUES, key);
        if (idle == null) {
            return new Seen(id, state, packetId, 2, null);
        }
        row.read(idle);
        return new Seen(id, state, packetId, row.qos, message());
    }

    private @Nullable Message message() throws DiskFailure {
        if (row.message != null) {
            return row.message;
        }
        byte[] shared = disk.get(Family.PAYLOADS, Keys.payload(row.server, row.counter));
        return shared == null ? null : MessageCodec.read(new ByteReader(shared));
    }
}
