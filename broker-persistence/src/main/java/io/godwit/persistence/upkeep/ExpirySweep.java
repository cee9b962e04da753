package io.godwit.persistence.upkeep;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.queue.Materialiser;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.RowRemovals;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds idle rows whose time is over and tells their owners, a page at a time; on the row worker.
 * The owner removes: until it has, they are told again. A session that is set aside has no owner:
 * its rows stay, and are not walked over again.
 */
public final class ExpirySweep {
    private static final int PAGE = 1000;

    private final DiskView disk;
    private final TimeSource time;
    private final RowRemovals removals;
    private final StoreListener listener;
    private final StoreDamage damage;

    private final Materialiser rows;
    private final QueueLeaders queueLeaders;

    /** Where the page before has ended. */
    private byte @Nullable [] next;

    /** No row has an earlier expiry: what lies before was deleted, and is not walked over again. */
    private long fromMs;

    /** The least one of this walk's pages, and of rows written meanwhile. */
    private long leastMs;

    /** Up to which expiry this walk goes. */
    private long walkMs;

    /** Up to which expiry the walk before went: such rows were told, or were written late. */
    private long toldMs;

    /** Queues of sessions that are set aside, of which rows have expired. */
    private final Set<Long> aside = new HashSet<>();

    public ExpirySweep(
            DiskView disk,
            TimeSource time,
            Materialiser rows,
            QueueLeaders queueLeaders,
            RowRemovals removals,
            StoreListener listener,
            StoreDamage damage) {
        this.damage = damage;
        this.rows = rows;
        this.queueLeaders = queueLeaders;
        this.disk = disk;
        this.time = time;
        this.removals = removals;
        this.listener = listener;
    }

    /** The index has them, so that an owner that has not read the row knows what goes. */
    private static int bytes(byte[] value) {
        return new ByteReader(value).smallInt();
    }

    /**
     * Tells of one page.
     *
     * @return whether there are more
     */
    public boolean page() throws DiskFailure {
        Map<Long, List<ExpiredRow>> found = new LinkedHashMap<>();
        long nowMs = time.sureMs();
        long writtenMs = rows.takeEarliestExpiry();
        if (next == null) {
            fromMs = Math.min(fromMs, writtenMs);
            leastMs = nowMs;
            toldMs = walkMs;
            walkMs = nowMs;
        } else {
            leastMs = Math.min(leastMs, writtenMs);
        }
        byte[] from = next == null ? Keys.position(Math.min(fromMs, nowMs)) : next;
        byte[] to = Keys.position(nowMs + 1);
        int count = 0;
        byte[] last = null;
        Set<Long> owned = new HashSet<>();
        try (Cursor cursor = disk.scan(Family.EXPIRY, from, to)) {
            while (count < PAGE && cursor.next()) {
                last = cursor.key();
                long queueId = Keys.longAt(last, 8);
                long messageId = Keys.longAt(last, 16);
                int server = Keys.intAt(last, 24);
                count++;
                long expiresMs = Keys.longAt(last, 0);
                if (expiresMs <= toldMs && isAside(queueId, owned)) {
                    continue;
                }
                leastMs = Math.min(leastMs, expiresMs);
                // Of a copy only its leader says what has expired.
                if (!queueLeaders.isCopy(queueId)
                        && !removals.contains(queueId, messageId, server)) {
                    found.computeIfAbsent(queueId, any -> new ArrayList<>())
                            .add(new ExpiredRow(messageId, server, bytes(cursor.value())));
                }
            }
        } catch (Unreadable e) {
            damage.of("what it says of messages' expiry", e);
            found.forEach(listener::onExpired);
            next = null;
            return false;
        }
        next = count < PAGE || last == null ? null : Keys.successor(last);
        if (next == null) {
            fromMs = leastMs;
        }
        found.forEach(listener::onExpired);
        return next != null;
    }

    /**
     * Whether a queue's session is set aside.
     *
     * @param owned queues of which it is known that they are not
     */
    private boolean isAside(long queueId, Set<Long> owned) throws DiskFailure {
        if (aside.contains(queueId)) {
            return true;
        }
        if (!owned.add(queueId)) {
            return false;
        }
        byte[] record = disk.get(Family.META, Keys.meta('S', queueId));
        if (record == null) {
            return false;
        }
        ByteReader in = new ByteReader(record);
        in.sized(); // Client id.
        return SessionCodec.read(in, queueId).isAside() && aside.add(queueId);
    }
}
