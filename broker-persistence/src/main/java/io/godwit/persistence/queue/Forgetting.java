package io.godwit.persistence.queue;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.Recovery.GoneSession;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * That a session or a retained message is gone is a value too, where several nodes have it: a node
 * that comes back would bring it again. It is kept until nobody comes back that late, or until
 * there are too many of them: then the oldest go first. On the row worker.
 *
 * <pre>
 * 'Z' generation 11 | stamp 11 | client id sized [| epoch's number varint | its server 3]
 *                                                     a session that is gone; the epoch is that of
 *                                                     a copy, or of a queue that was adopted
 * 'J' stamp 11                                        a queue that is gone, of a group's part
 * RETAINED: stamp 11                                  a retained message that is gone
 * 'Y' nothing                                         all of them by their stamps
 * </pre>
 */
public final class Forgetting {
    /** Deleted in one go, at most. */
    private static final int PAGE = 1000;

    private static final byte SESSION = 0;
    private static final byte TOPIC = 1;
    private static final byte QUEUE = 2;

    private final DiskView disk;
    private final QueueLeaders queueLeaders;
    private final int max;
    private final ByteWriter value = new ByteWriter(64);

    /** Sessions whose records are in the batch that is being filled. */
    private final Map<Long, GoneSession> ofRun = new HashMap<>();

    /** The key below which everything was forgotten: what is deleted is not walked over again. */
    private byte[] from = {'Y'};

    /**
     * Entries of the index; one that was overtaken by a later value counts until its time is over.
     */
    private long count;

    /**
     * @param max how many are kept
     */
    public Forgetting(DiskView disk, QueueLeaders queueLeaders, int max) {
        this.disk = disk;
        this.queueLeaders = queueLeaders;
        this.max = max;
    }

    /** Counts what there is. */
    public void load() throws DiskFailure {
        count = 0;
        try (Cursor cursor = disk.scan(Family.META, new byte[] {'Y'}, new byte[] {'Y' + 1})) {
            while (cursor.next()) {
                count++;
            }
        }
    }

    /** A session record is on its way to the disk. */
    void put(long queueId, HybridId generation, HybridId stamp, ClientId clientId) {
        ofRun.put(queueId, new GoneSession(clientId, queueId, generation, stamp));
    }

    /** The session ended, or the group whose queue it was. */
    void sessionGone(Batch batch, long queueId, HybridId stamp) throws DiskFailure {
        GoneSession session = ofRun.remove(queueId);
        if (session == null) {
            byte[] record = disk.get(Family.META, Keys.meta('S', queueId));
            if (record == null) {
                queueGone(batch, queueId, stamp);
                return;
            }
            ByteReader in = new ByteReader(record);
            ClientId clientId = new ClientId(in.sized());
            in.u8(); // protocol level
            session = new GoneSession(clientId, queueId, Ids.hybrid(in), stamp);
        }
        sessionGone(
                batch, new GoneSession(session.clientId(), queueId, session.generation(), stamp));
    }

    /** A session that ended before. */
    public void sessionGone(Batch batch, GoneSession session) throws DiskFailure {
        byte[] key = Keys.meta('Z', session.queueId());
        Epoch epoch = queueLeaders.epoch(session.queueId());
        byte[] before = epoch == null ? disk.get(Family.META, key) : null;
        if (before != null) {
            epoch = epochOf(before);
        }
        value.clear();
        Ids.hybrid(value, session.generation());
        Ids.hybrid(value, session.stamp());
        value.sized(session.clientId().bytes());
        if (epoch != null) {
            value.varint(epoch.number()).server3(epoch.server());
        }
        batch.put(Family.META, key, value.toBytes());
        index(batch, session.stamp(), SESSION, Arrays.copyOfRange(key, 1, 9));
    }

    private void queueGone(Batch batch, long queueId, HybridId stamp) {
        value.clear();
        Ids.hybrid(value, stamp);
        byte[] key = Keys.meta('J', queueId);
        batch.put(Family.META, key, value.toBytes());
        index(batch, stamp, QUEUE, Arrays.copyOfRange(key, 1, 9));
    }

    /**
     * Returns the stamp of the last end of a queue's session or group that is remembered; {@link
     * HybridId#NONE} when none is. Any thread.
     */
    public static HybridId endOf(DiskView disk, long queueId) throws DiskFailure {
        byte[] key = Keys.meta('Z', queueId);
        byte[] session = disk.get(Family.META, key);
        HybridId ended = session == null ? HybridId.NONE : session(key, session).stamp();
        byte[] queue = disk.get(Family.META, Keys.meta('J', queueId));
        HybridId other = queue == null ? HybridId.NONE : Ids.hybrid(new ByteReader(queue));
        return ended.compareTo(other) < 0 ? other : ended;
    }

    /** One of 'Z'. */
    public static GoneSession session(byte[] key, byte[] stored) {
        ByteReader in = new ByteReader(stored);
        HybridId generation = Ids.hybrid(in);
        HybridId stamp = Ids.hybrid(in);
        return new GoneSession(new ClientId(in.sized()), Keys.longAt(key, 1), generation, stamp);
    }

    /**
     * Returns the epoch under which a queue was written last whose session is gone.
     *
     * @param stored the value of 'Z'
     * @return null when no other node ever led it
     */
    public static @Nullable Epoch epochOf(byte[] stored) {
        ByteReader in = new ByteReader(stored);
        Ids.hybrid(in);
        Ids.hybrid(in);
        in.sized();
        if (in.isAtEnd()) {
            return null;
        }
        long number = in.varint();
        return new Epoch(number, in.server3());
    }

    /** A retained message was deleted. */
    public void retainedGone(Batch batch, Topic topic, HybridId stamp) {
        value.clear();
        StoredRetained.write(value, stamp, null);
        batch.put(Family.RETAINED, topic.bytes(), value.toBytes());
        index(batch, stamp, TOPIC, topic.bytes());
    }

    private void index(Batch batch, HybridId stamp, byte what, byte[] of) {
        ByteWriter key = new ByteWriter(16 + of.length).u8('Y');
        Ids.hybrid(key, stamp);
        batch.put(Family.META, key.u8(what).raw(of).toBytes(), new byte[0]);
        count++;
    }

    /** The batch was written. */
    void written() {
        ofRun.clear();
    }

    /**
     * Forgets some of what is older, or more than may be kept.
     *
     * @param untilMs epoch milliseconds: what is gone since before that
     * @return whether there is more to do
     */
    public boolean sweep(Batch batch, long untilMs) throws DiskFailure {
        long clock = Math.max(0, untilMs) << 16;
        int deleted = 0;
        try (Cursor cursor = disk.scan(Family.META, from, new byte[] {'Y' + 1})) {
            while (deleted < PAGE && cursor.next()) {
                byte[] key = cursor.key();
                if (Long.compareUnsigned(Keys.longAt(key, 1), clock) >= 0 && count <= max) {
                    return false;
                }
                forget(batch, key);
                batch.delete(Family.META, key);
                from = key;
                count--;
                deleted++;
            }
        }
        return deleted == PAGE;
    }

    private void forget(Batch batch, byte[] key) throws DiskFailure {
        ByteReader in = new ByteReader(key, 1, key.length);
        HybridId stamp = Ids.hybrid(in);
        int what = in.u8();
        byte[] of = in.rest();
        switch (what) {
            case SESSION -> {
                byte[] gone = Keys.meta('Z', Keys.longAt(of, 0));
                byte[] stored = disk.get(Family.META, gone);
                if (stored != null && session(gone, stored).stamp().equals(stamp)) {
                    batch.delete(Family.META, gone);
                }
            }
            case QUEUE -> {
                byte[] gone = Keys.meta('J', Keys.longAt(of, 0));
                byte[] stored = disk.get(Family.META, gone);
                if (stored != null && Ids.hybrid(new ByteReader(stored)).equals(stamp)) {
                    batch.delete(Family.META, gone);
                }
            }
            default -> {
                byte[] stored = disk.get(Family.RETAINED, of);
                if (stored != null && isGone(StoredRetained.of(stored), stamp)) {
                    batch.delete(Family.RETAINED, of);
                }
            }
        }
    }

    private static boolean isGone(StoredRetained stored, HybridId stamp) {
        return stored.message() == null && stored.stamp().equals(stamp);
    }
}
