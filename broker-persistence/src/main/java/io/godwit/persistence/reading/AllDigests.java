package io.godwit.persistence.reading;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.core.store.Recovery;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.RowLookup;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the digests of all queues at one moment, of entries, records and what they remember, in the
 * order of {@link Long#compareUnsigned}. The row worker opens it, a read worker reads it in slices.
 */
public final class AllDigests implements AutoCloseable {
    /** Queues looked at in one go. */
    private static final int SLICE = 200;

    private final RowLookup rows;
    private final TreeMap<Long, QueueMoment> moments = new TreeMap<>(Long::compareUnsigned);
    private final Set<Long> purged;
    private final QueueLeaders.Then leaders;
    private final MomentRecords records;
    private final MomentRows depths;
    private final MomentRows remembered;

    /**
     * @param rows makes moments of queues that the window says nothing of
     * @param purged queues whose rows do not count
     * @param leaders as they are now; closed with this
     */
    AllDigests(
            DiskView disk,
            RowLookup rows,
            QueueMoment[] moments,
            Set<Long> purged,
            QueueLeaders.Then leaders) {
        this.rows = rows;
        this.purged = purged;
        this.leaders = leaders;
        for (QueueMoment each : moments) {
            this.moments.put(each.queueId, each);
        }
        records = new MomentRecords(disk, 0, -1);
        depths = new MomentRows(disk, 'D', 0, -1);
        remembered = new MomentRows(disk, 'R', 0, -1);
    }

    /**
     * Tells of some queues that hold anything.
     *
     * @return whether there are more
     */
    public boolean read(DigestReader to) throws DiskFailure {
        for (int i = 0; i < SLICE; i++) {
            Long next = records.nextQueue();
            next = MomentRecords.least(next, depths.key());
            next = MomentRecords.least(next, remembered.key());
            if (!moments.isEmpty()) {
                next = MomentRecords.least(next, Keys.meta('D', moments.firstKey()));
            }
            if (next == null) {
                return false;
            }
            QueueMoment moment = moments.remove(next);
            int leader = leaders.leader(next);
            if (next != 0 && to.wants(next, leader)) {
                read(moment == null ? QueueMoment.none(next, rows) : moment, leader, to);
            }
            pass(next);
        }
        return true;
    }

    private void read(QueueMoment moment, int leader, DigestReader to) throws DiskFailure {
        long queueId = moment.queueId;
        boolean hasRows = !moment.isGone && !purged.contains(queueId);
        Digest digest = new Digest();
        boolean[] hasRecord = {false};
        if (depths.isAt(queueId) && hasRows) {
            digest.add(StoredDepth.of(depths.value()).digest());
        }
        while (remembered.isAt(queueId)) {
            if (hasRows) {
                byte[] key = remembered.key();
                HybridId id = Keys.rememberedId(key == null ? new byte[0] : key);
                digest.add(id.clock(), id.server(), Digest.REMEMBERED, 0);
            }
            remembered.next();
        }
        moment.addTo(digest);
        @Nullable ClientId[] clientId = {null};
        boolean[] isGroup = {false};
        long[] predecessorId = {0};
        records.read(
                moment,
                hasRows,
                (key, value) -> {
                    hasRecord[0] = true;
                    digest.add(key, value);
                    switch (key[0]) {
                        case 'S' -> clientId[0] = MetaRecords.clientId(value);
                        case 'G' -> isGroup[0] = (value[0] & Recovery.GROUP_ASIDE) == 0;
                        case 'E' -> predecessorId[0] = Keys.longAt(value, 0);
                        default -> {}
                    }
                });
        if (hasRecord[0] || !digest.isEmpty()) {
            to.onQueue(
                    new QueueDigest(
                            queueId, leader, clientId[0], isGroup[0], predecessorId[0], digest));
        }
    }

    /** Passes what was not read of a queue. */
    private void pass(long queueId) throws DiskFailure {
        records.pass(queueId);
        depths.pass(queueId);
        remembered.pass(queueId);
    }

    @Override
    public void close() {
        leaders.close();
        records.close();
        depths.close();
        remembered.close();
    }
}
