package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.message.QueueHandle;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.codec.StoredRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts the rows of one queue, in the order of their keys, as its depth should say. */
final class QueueCount {
    final long queueId;

    /** Message ids of idle rows that are in flight. */
    final Set<HybridId> marked = new HashSet<>();

    /** Message ids whose message is missing. */
    final List<HybridId> lost = new ArrayList<>(0);

    private final Digest digest = new Digest();

    long idle;
    long idleBytes;
    int inFlight;
    private long first;
    private HybridId last = HybridId.NONE;

    QueueCount(long queueId) {
        this.queueId = queueId;
    }

    void row(boolean isIdle, HybridId id, int packetId, int bytes) {
        seen(id);
        if (!isIdle) {
            inFlight++;
            digest.add(id.clock(), id.server(), Digest.IN_FLIGHT, packetId);
        } else if (!marked.contains(id)) {
            if (idle == 0) {
                first = id.clock() - 1;
            }
            idle++;
            idleBytes += bytes;
            digest.add(id.clock(), id.server(), Digest.IDLE, 0);
        }
    }

    void marker(int kind, HybridId id, int packetId) {
        seen(id);
        inFlight++;
        if (kind == StoredRow.IDLE_ROW || kind == StoredRow.TO_MEMBER) {
            marked.add(id);
            digest.add(id.clock(), id.server(), Digest.IN_FLIGHT, packetId);
        } else if (kind == StoredRow.RELEASED) {
            digest.add(id.clock(), id.server(), Digest.RELEASED, packetId);
        } else {
            digest.add(id.clock(), id.server(), Digest.GOT, packetId);
        }
    }

    /** A marker whose message is gone goes too. */
    void lost(HybridId id, int packetId) {
        inFlight--;
        digest.remove(id.clock(), id.server(), Digest.IN_FLIGHT, packetId);
    }

    private void seen(HybridId id) {
        last = id.compareTo(last) > 0 ? id : last;
    }

    boolean isEmpty() {
        return last.clock() == 0;
    }

    HybridId last() {
        return last;
    }

    /** The value that the store has of a depth like this. */
    byte[] toBytes(QueueHandle.Kind kind) {
        return new StoredDepth(
                        kind,
                        idle,
                        idleBytes,
                        inFlight,
                        last.clock(),
                        last.server(),
                        idle == 0 ? last.clock() : first,
                        digest)
                .toBytes();
    }

    /**
     * @return what is wrong with a stored depth, or empty
     */
    String compare(byte[] stored) {
        StoredDepth there = StoredDepth.of(stored);
        List<String> wrong = new ArrayList<>();
        differ(wrong, "messages", idle, there.idle());
        differ(wrong, "bytes", idleBytes, there.idleBytes());
        differ(wrong, "in flight", inFlight, there.inFlight());
        if (new HybridId(there.lastClock(), there.lastServer()).compareTo(last) < 0) {
            wrong.add("its last message lies behind the end that its count names");
        }
        if (idle > 0 && Long.compareUnsigned(there.first(), first) > 0) {
            wrong.add("its first message lies before the head that its count names");
        }
        if (wrong.isEmpty() && !digest.isSame(there.digest())) {
            wrong.add("its messages are not those that its digest was made of");
        }
        return String.join(", ", wrong);
    }

    private static void differ(List<String> wrong, String what, long rows, long counted) {
        if (rows != counted) {
            wrong.add(what + ": " + rows + " in rows, " + counted + " counted");
        }
    }
}
