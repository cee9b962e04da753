package io.godwit.persistence.inspect;

import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.StoredRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts the rows of one queue, in the order of their keys, as its depth should say. */
final class QueueCount {
    final long queueId;

    /** Message ids of idle rows that are in flight. */
    final Set<Long> marked = new HashSet<>();

    /** Message ids whose message is missing. */
    final List<Long> lost = new ArrayList<>(0);

    long idle;
    long idleBytes;
    int inFlight;
    private long first;
    private long last;

    QueueCount(long queueId) {
        this.queueId = queueId;
    }

    void row(boolean isIdle, long messageId, int bytes) {
        last = Math.max(last, messageId);
        if (!isIdle) {
            inFlight++;
        } else if (!marked.contains(messageId)) {
            if (idle == 0) {
                first = messageId - 1;
            }
            idle++;
            idleBytes += bytes;
        }
    }

    void marker(int kind, long messageId) {
        last = Math.max(last, messageId);
        inFlight++;
        if (kind == StoredRow.IDLE_ROW || kind == StoredRow.TO_MEMBER) {
            marked.add(messageId);
        }
    }

    boolean isEmpty() {
        return last == 0;
    }

    long last() {
        return last;
    }

    /** As the store keeps depths. */
    byte[] toBytes() {
        return new ByteWriter(24)
                .varint(idle)
                .varint(idleBytes)
                .varint(inFlight)
                .long8(last)
                .varint(last - (idle == 0 ? last : first))
                .toBytes();
    }

    /**
     * @return what is wrong with a stored depth, or empty
     */
    String compare(byte[] stored) {
        ByteReader in = new ByteReader(stored);
        long idleThere = in.varint();
        long bytesThere = in.varint();
        int inFlightThere = in.smallInt();
        long lastThere = in.long8();
        long firstThere = lastThere - in.varint();
        List<String> wrong = new ArrayList<>();
        differ(wrong, "messages", idle, idleThere);
        differ(wrong, "bytes", idleBytes, bytesThere);
        differ(wrong, "in flight", inFlight, inFlightThere);
        if (lastThere < last) {
            wrong.add("its last message lies behind the end that its count names");
        }
        if (idle > 0 && firstThere > first) {
            wrong.add("its first message lies before the head that its count names");
        }
        return String.join(", ", wrong);
    }

    private static void differ(List<String> wrong, String what, long rows, long counted) {
        if (rows != counted) {
            wrong.add(what + ": " + rows + " in rows, " + counted + " counted");
        }
    }
}
