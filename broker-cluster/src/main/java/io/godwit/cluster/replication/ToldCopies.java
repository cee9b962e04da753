package io.godwit.cluster.replication;

import io.godwit.core.message.Digest;
import java.util.Arrays;

/** Holds what a follower has told of its copies: their queue ids and digests, 24 bytes for each. */
final class ToldCopies {
    private long[] queueIds = new long[CopyMessages.HAS_MAX];
    private long[] high = new long[CopyMessages.HAS_MAX];
    private long[] low = new long[CopyMessages.HAS_MAX];
    private int size;

    /** Takes more of them; queue ids rise without a sign. */
    void add(CopyMessages.Has told) {
        int count = told.queueIds().length;
        if (size + count > queueIds.length) {
            int more = Math.max(size + count, queueIds.length + queueIds.length / 2);
            queueIds = Arrays.copyOf(queueIds, more);
            high = Arrays.copyOf(high, more);
            low = Arrays.copyOf(low, more);
        }
        for (int i = 0; i < count; i++, size++) {
            Digest digest = told.digests().get(i);
            queueIds[size] = told.queueIds()[i] ^ Long.MIN_VALUE; // These rise with a sign.
            high[size] = digest.high();
            low[size] = digest.low();
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the queue ids, rising without a sign. */
    long[] queueIds() {
        long[] all = new long[size];
        Arrays.setAll(all, i -> queueIds[i] ^ Long.MIN_VALUE);
        return all;
    }

    private int find(long queueId) {
        return Arrays.binarySearch(queueIds, 0, size, queueId ^ Long.MIN_VALUE);
    }

    /** Tells whether there is a copy of a queue. Any thread, once all are told. */
    boolean has(long queueId) {
        return find(queueId) >= 0;
    }

    /** Tells whether the copy of a queue has a digest. Any thread, once all are told. */
    boolean isSame(long queueId, Digest digest) {
        int at = find(queueId);
        return at >= 0 && high[at] == digest.high() && low[at] == digest.low();
    }
}
