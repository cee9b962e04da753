package io.godwit.persistence.queue;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.QueueId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells which queues are copies: those that another node leads, and those that this node has
 * adopted from another one, each with the epoch under which its leader wrote it last. A queue
 * without an entry has always been led by this node, also after its store was restored under
 * another server id. Changed by the row worker, read by any thread.
 *
 * <pre>
 * 'H' epoch's number varint | its server, the leader, 3 | this node 1
 * </pre>
 */
public final class QueueLeaders {
    /**
     * The leader of one queue.
     *
     * @param isThisNode the queue was adopted; else it is a copy
     */
    public record Leader(Epoch epoch, boolean isThisNode) {
        /**
         * @throws IndexOutOfBoundsException when these bytes are none
         */
        public static Leader of(byte[] value) {
            ByteReader in = new ByteReader(value);
            long number = in.varint();
            return new Leader(new Epoch(number, in.server3()), in.u8() != 0);
        }

        public byte[] toBytes() {
            return new ByteWriter(8)
                    .varint(epoch.number())
                    .server3(epoch.server())
                    .u8(isThisNode ? 1 : 0)
                    .toBytes();
        }
    }

    private static final int SHARED_MAX = 4096;

    private final Map<Long, Leader> leaders = new ConcurrentHashMap<>();
    private final Set<Long> touched = new HashSet<>();

    /** Copies with a session again whose record is in the window. */
    private final Set<Long> livingAgain = new HashSet<>();

    /** One object for all copies that have the same leader and epoch. */
    private final Map<Leader, Leader> shared = new HashMap<>();

    /** Those who ask for the leaders of a moment, while they do. */
    private final List<Then> asked = new CopyOnWriteArrayList<>();

    private volatile int copies;

    /**
     * The leaders as they were when this was made, whatever has changed since. The row worker makes
     * it, one thread reads it.
     */
    public final class Then implements AutoCloseable {
        /** Leaders that have changed since; empty: there was none. */
        private final Map<Long, Optional<Leader>> before = new ConcurrentHashMap<>();

        private Then() {}

        /** Returns the server id of the node that led a queue; 0: this node did. */
        public int leader(long queueId) {
            // In this order: what is changed now is noted before.
            Leader now = leaders.get(queueId);
            Optional<Leader> changed = before.get(queueId);
            Leader then = changed == null ? now : changed.orElse(null);
            return then == null || then.isThisNode ? 0 : then.epoch.server();
        }

        @Override
        public void close() {
            asked.remove(this);
        }
    }

    /** Returns the leaders as they are now; to be closed. */
    public Then then() {
        Then made = new Then();
        asked.add(made);
        return made;
    }

    /** Reads all of them. */
    public void load(DiskView disk) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'H'}, new byte[] {'H' + 1})) {
            while (cursor.next()) {
                set(Keys.longAt(cursor.key(), 1), shared(Leader.of(cursor.value())));
            }
        }
    }

    /** Tells of each queue that this node has adopted. */
    public void eachAdopted(BiConsumer<Long, Epoch> to) {
        leaders.forEach((queueId, leader) -> {
            if (leader.isThisNode) {
                to.accept(queueId, leader.epoch);
            }
        });
    }

    /** Whether another node leads a queue. */
    public boolean isCopy(long queueId) {
        Leader leader = leaders.get(queueId);
        return leader != null && !leader.isThisNode;
    }

    /** Whether another node has ever led a queue, as far as is known here. */
    public boolean isKnown(long queueId) {
        return leaders.containsKey(queueId);
    }

    /** Returns the epoch under which a queue was written last; null: this node always led it. */
    public @Nullable Epoch epoch(long queueId) {
        Leader leader = leaders.get(queueId);
        return leader == null ? null : leader.epoch;
    }

    /** Returns the number of the epoch under which this node leads a queue; 0: since ever. */
    public long ownEpoch(long queueId) {
        Leader leader = leaders.get(queueId);
        return leader == null || !leader.isThisNode ? 0 : leader.epoch.number();
    }

    /** Returns the queues that a node leads and that are copied here, rising without a sign. */
    public long[] copiesOf(int leader) {
        return QueueId.sorted(
                leaders.entrySet().stream()
                        .filter(each -> isCopyOf(each.getValue(), leader))
                        .mapToLong(Map.Entry::getKey));
    }

    private static boolean isCopyOf(Leader of, int leader) {
        return !of.isThisNode && of.epoch.server() == leader;
    }

    /** Counts the queues that another node leads. */
    public int copies() {
        return copies;
    }

    /**
     * Notes the leader of a queue that another node has written. What one node writes comes in
     * order: of the same leader a lower epoch counts, too. It may not know of a queue any more that
     * it has led under a higher one.
     *
     * @return false when a later epoch of another node is known: what that node wrote does not
     *     count
     */
    public boolean accept(long queueId, Epoch epoch) {
        Leader known = leaders.get(queueId);
        if (known != null
                && epoch.server() != known.epoch.server()
                && epoch.compareTo(known.epoch) < 0) {
            return false;
        }
        if (known == null || known.isThisNode || !epoch.equals(known.epoch)) {
            set(queueId, shared(new Leader(epoch, false)));
            touched.add(queueId);
        }
        return true;
    }

    private Leader shared(Leader leader) {
        if (shared.size() > SHARED_MAX) {
            shared.clear();
        }
        Leader known = shared.putIfAbsent(leader, leader);
        return known == null ? leader : known;
    }

    /** Makes this node the leader of a queue. */
    void adopt(long queueId, Epoch epoch) {
        set(queueId, new Leader(epoch, true));
        touched.add(queueId);
    }

    /** Makes another node the leader of a queue that this node has led. */
    void yieldTo(long queueId, Epoch epoch) {
        set(queueId, shared(new Leader(epoch, false)));
        touched.add(queueId);
    }

    /** Notes that a copy has a session again while what it had before its end is deleted. */
    public void livesAgain(long queueId) {
        livingAgain.add(queueId);
    }

    /** Notes that a copy's session has ended, or that its record is on the disk. */
    public void livesNoMore(long queueId) {
        livingAgain.remove(queueId);
    }

    /** Removes a queue that is gone. */
    void remove(long queueId) {
        if (leaders.containsKey(queueId) && !livingAgain.contains(queueId)) {
            set(queueId, null);
            touched.add(queueId);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void set(long queueId, @Nullable Leader leader) {
        for (Then each : asked) {
            each.before.putIfAbsent(queueId, Optional.ofNullable(leaders.get(queueId)));
        }
        Leader before = leader == null ? leaders.remove(queueId) : leaders.put(queueId, leader);
        copies = copies + (leader != null && !leader.isThisNode ? 1 : 0);
        copies = copies - (before != null && !before.isThisNode ? 1 : 0);
    }

    /** Tells of each queue whose leader has changed since it was written. */
    void eachChanged(LongConsumer to) {
        touched.forEach(to::accept);
    }

    /** Puts what has changed into the batch of this run. */
    void write(Batch batch) {
        for (Long queueId : touched) {
            byte[] key = Keys.meta('H', queueId);
            Leader leader = leaders.get(queueId);
            if (leader == null) {
                batch.delete(Family.META, key);
            } else {
                batch.put(Family.META, key, leader.toBytes());
            }
        }
        touched.clear();
    }
}
