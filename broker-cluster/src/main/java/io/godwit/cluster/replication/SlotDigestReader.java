package io.godwit.cluster.replication;

import io.godwit.core.packet.ClientId;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up by slot what the queues of one node hold. A queue without a session or group counts if it
 * goes before one that has; others hold nothing that anybody gets.
 */
abstract class SlotDigestReader implements DigestReader {
    private static final int WITHOUT_RECORD_MAX = 100_000;

    private final int leader;
    private final BitSet sets;
    private final SlotDigests digests = new SlotDigests();

    /** Slots of the queues that go before others, by queue id. */
    private final Map<Long, Integer> predecessors = new HashMap<>();

    private final Map<Long, QueueDigest> withoutRecord = new HashMap<>();

    /**
     * @param leader server id of the node that leads the queues; 0: this node does
     * @param sets copy sets that count
     */
    SlotDigestReader(int leader, BitSet sets) {
        this.leader = leader;
        this.sets = sets;
    }

    /** Takes the sums; on a thread of the store. */
    abstract void onDigests(SlotDigests sums);

    @Override
    public final boolean wants(long queueId, int of) {
        return of == leader;
    }

    @Override
    public final void onQueue(QueueDigest queue) {
        ClientId clientId = queue.clientId();
        if (clientId != null) {
            add(clientId.slot(), queue);
        } else if (queue.isGroup()) {
            add(SlotDigests.GROUPS, queue);
        } else if (withoutRecord.size() < WITHOUT_RECORD_MAX) {
            withoutRecord.put(queue.queueId(), queue);
        }
    }

    private void add(int slot, QueueDigest queue) {
        if (queue.predecessorId() != 0) {
            predecessors.put(queue.predecessorId(), slot);
        }
        if (sets.get(SlotDigests.copySet(slot))) {
            digests.add(slot, 1, queue.digest());
        }
    }

    @Override
    public final void onEnd() {
        withoutRecord.forEach((queueId, queue) -> {
            @Nullable Integer slot = predecessors.get(queueId);
            if (slot != null) {
                add(slot, queue);
            }
        });
        onDigests(digests);
    }
}
