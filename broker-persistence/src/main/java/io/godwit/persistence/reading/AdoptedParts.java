package io.godwit.persistence.reading;

import io.godwit.persistence.queue.QueueLeaders;
import java.util.List;

/** Encodes, for other nodes' copies, which queues this node has adopted. Any thread. */
public final class AdoptedParts {
    private AdoptedParts() {}

    /**
     * Returns the bodies of parts, each of a bounded length; some 20 bytes for a queue.
     *
     * @param self server id of this node
     * @param queueIds may have queues that were not adopted, which are left out
     */
    public static List<byte[]> of(int self, long[] queueIds, QueueLeaders leaders) {
        FillWriter writer = new FillWriter(self);
        for (long queueId : queueIds) {
            long epoch = leaders.ownEpoch(queueId);
            if (epoch != 0) {
                writer.adopted(queueId, epoch);
            }
        }
        return writer.end();
    }
}
