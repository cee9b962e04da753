package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Brings one entry's rows from the place where they stand to the one that is wanted, with depth,
 * payload and expiry index.
 */
final class RowWriter {
    private final Depths depths;
    private final Payloads payloads;
    private final ByteWriter value = new ByteWriter(256);

    /** The least expiry written since it was asked last. */
    private long earliestExpiryMs;

    /** Rows deleted since it was asked last. */
    private int deleted;

    RowWriter(Depths depths, Payloads payloads) {
        this.depths = depths;
        this.payloads = payloads;
    }

    long takeEarliestExpiry() {
        long earliest = earliestExpiryMs;
        earliestExpiryMs = Message.NEVER;
        return earliest;
    }

    int takeDeleted() {
        int count = deleted;
        deleted = 0;
        return count;
    }

    /**
     * @param sharing rows of this run that have the entry's message
     */
    void move(Batch batch, QueuedMessage entry, RowNote note, int sharing) throws DiskFailure {
        Message message = entry.message;
        if (message == null && note.place == RowNote.NONE && note.wanted != RowNote.NONE) {
            // PUBREC came already: what says so follows. The shard set the packet id before.
            VarHandle.acquireFence();
            note.wanted = RowNote.RELEASED;
            note.packetId = note.packetId != 0 ? note.packetId : entry.packetId;
        }
        byte from = note.place;
        byte to = note.wanted;
        if (from == to && !note.renumbered) {
            return;
        }
        Depth depth = depths.touch(entry.queueId);
        count(depth, entry, note, from, to);
        digest(depth, entry, note, from, to);
        if (note.hasIdleRow() && to != RowNote.IDLE && to != RowNote.MARKED) {
            delete(batch, depth, Keys.IDLE, entry);
        }
        if (from == RowNote.IDLE && note.expiresAtMs != Message.NEVER) {
            batch.delete(
                    Family.EXPIRY,
                    Keys.expiry(note.expiresAtMs, entry.queueId, entry.messageId, entry.server));
        }
        switch (to) {
            case RowNote.NONE -> {
                if (RowNote.isInFlight(from)) {
                    delete(batch, depth, Keys.IN_FLIGHT, entry);
                }
            }
            case RowNote.IDLE -> {
                if (from == RowNote.MARKED) {
                    delete(batch, depth, Keys.IN_FLIGHT, entry);
                } else {
                    whole(batch, Keys.IDLE, entry, note, message, sharing);
                }
                putExpiry(batch, entry, note);
            }
            case RowNote.MARKED -> {
                if (!note.hasIdleRow()) {
                    whole(batch, Keys.IDLE, entry, note, message, sharing);
                }
                marker(note);
                put(batch, Keys.IN_FLIGHT, entry);
            }
            case RowNote.FLIGHT -> whole(batch, Keys.IN_FLIGHT, entry, note, message, sharing);
            default -> {
                value.clear();
                StoredRow.writeReleased(
                        value, note.packetId, entry.ingressServer(), entry.ingressCounter());
                put(batch, Keys.IN_FLIGHT, entry);
            }
        }
        if (note.isReference && (to == RowNote.NONE || to == RowNote.RELEASED)) {
            payloads.release(note.server, note.counter);
            note.isReference = false;
        }
        note.place = to;
        note.placedPacketId = to == RowNote.IDLE ? 0 : note.packetId;
        note.renumbered = false;
    }

    private static void count(Depth depth, QueuedMessage entry, RowNote note, byte from, byte to) {
        if (from != RowNote.IDLE && to == RowNote.IDLE) {
            depth.idleAdded(entry.messageId, entry.server, note.bytes);
        } else if (from == RowNote.IDLE && to != RowNote.IDLE) {
            depth.idleGone(note.bytes);
        }
        int inFlight = (RowNote.isInFlight(to) ? 1 : 0) - (RowNote.isInFlight(from) ? 1 : 0);
        if (inFlight != 0) {
            depth.inFlight(inFlight);
        }
        depth.seen(entry.messageId, entry.server);
    }

    private void whole(
            Batch batch,
            byte status,
            QueuedMessage entry,
            RowNote note,
            @Nullable Message message,
            int sharing)
            throws DiskFailure {
        boolean isNew = note.place == RowNote.NONE;
        if (isNew && message != null) {
            note.expiresAtMs = message.expiresAtMs;
            note.server = message.ingressServer;
            note.counter = message.ingressCounter;
            note.isReference = payloads.standsApart(message, sharing);
            if (note.isReference) {
                payloads.use(batch, note.server, note.counter, message);
            }
        }
        value.clear();
        int packetId = status == Keys.IDLE ? 0 : note.packetId;
        if (note.isReference) {
            StoredRow.writeReference(
                    value,
                    entry.qos,
                    entry.retain,
                    entry.ids,
                    packetId,
                    note.server,
                    note.counter,
                    note.bytes,
                    note.expiresAtMs);
        } else if (message != null) {
            StoredRow.write(value, entry.qos, entry.retain, entry.ids, packetId, message);
        } else {
            return;
        }
        put(batch, status, entry);
    }

    private void putExpiry(Batch batch, QueuedMessage entry, RowNote note) {
        if (note.expiresAtMs != Message.NEVER) {
            earliestExpiryMs = Math.min(earliestExpiryMs, note.expiresAtMs);
            batch.put(
                    Family.EXPIRY,
                    Keys.expiry(note.expiresAtMs, entry.queueId, entry.messageId, entry.server),
                    new ByteWriter(5).varint(note.bytes).toBytes());
        }
    }

    private static void digest(Depth depth, QueuedMessage entry, RowNote note, byte from, byte to) {
        if (from != RowNote.NONE) {
            depth.digest.remove(
                    entry.messageId, entry.server, RowNote.status(from), note.placedPacketId);
        }
        if (to != RowNote.NONE) {
            depth.digest.add(entry.messageId, entry.server, RowNote.status(to), note.packetId);
        }
    }

    private void marker(RowNote note) {
        value.clear();
        Receiver receiver = note.receiver;
        if (receiver != null) {
            StoredRow.writeToMember(value, note.packetId, receiver);
        } else {
            StoredRow.writeMarker(value, note.packetId);
        }
    }

    private void put(Batch batch, byte status, QueuedMessage entry) {
        byte[] key = Keys.row(entry.queueId, status, entry.messageId, entry.server);
        batch.put(Family.QUEUES, key, key.length, value.array(), 0, value.length());
    }

    private void delete(Batch batch, Depth depth, byte status, QueuedMessage entry) {
        batch.delete(Family.QUEUES, Keys.row(entry.queueId, status, entry.messageId, entry.server));
        depth.deleted(1);
        deleted++;
    }
}
