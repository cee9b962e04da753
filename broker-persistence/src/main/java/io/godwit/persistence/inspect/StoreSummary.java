package io.godwit.persistence.inspect;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredDepth;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.QueueLeaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a store holds, by the counts that it keeps: no row is read but the oldest of each queue. */
public final class StoreSummary {
    /**
     * What waits in a queue.
     *
     * @param messages idle ones and those in flight
     * @param bytes accounted, of the idle ones
     * @param oldestMs wall clock at which the oldest came, epoch milliseconds; 0 when it is empty
     */
    public record Waiting(long messages, long bytes, int inFlight, long oldestMs) {}

    /**
     * A session with its queue.
     *
     * @param copyOf server id of the node that leads it; 0: this node
     */
    public record SessionLine(
            ClientId clientId,
            int copyOf,
            SessionRecord session,
            int subscriptions,
            int inbound,
            Waiting waiting) {}

    /**
     * A part of a shared group with its queue.
     *
     * @param copyOf server id of the node that leads it; 0: this node
     */
    public record GroupLine(
            TopicFilter filter, int part, long queueId, int copyOf, Waiting waiting) {}

    /** Takes sessions, in the order of their queue ids. */
    public interface Sessions {
        void session(SessionLine line);
    }

    private final DiskView disk;
    private final Map<Long, Integer> subscriptions = new HashMap<>();
    private final Map<Long, Integer> inbound = new HashMap<>();

    public StoreSummary(DiskView disk) {
        this.disk = disk;
    }

    /**
     * Tells of all sessions, or of those with one client id: the one that is served, those that are
     * set aside, and those that have ended and still owe a will.
     */
    public void sessions(@Nullable ClientId only, Sessions to) throws DiskFailure {
        count('B', subscriptions);
        count('I', inbound);
        try (Cursor cursor = letter('S')) {
            while (cursor.next()) {
                long queueId = Keys.longAt(cursor.key(), 1);
                ByteReader in = new ByteReader(cursor.value());
                ClientId clientId = new ClientId(in.sized());
                if (only == null || only.equals(clientId)) {
                    to.session(
                            new SessionLine(
                                    clientId,
                                    copyOf(queueId),
                                    SessionCodec.read(in, queueId),
                                    subscriptions.getOrDefault(queueId, 0),
                                    inbound.getOrDefault(queueId, 0),
                                    waiting(queueId)));
                }
            }
        }
    }

    public List<GroupLine> groups() throws DiskFailure {
        List<GroupLine> groups = new ArrayList<>();
        try (Cursor cursor = letter('G')) {
            while (cursor.next()) {
                long queueId = Keys.longAt(cursor.key(), 1);
                ByteReader in = new ByteReader(cursor.value());
                int part = in.u8();
                TopicFilter filter = new TopicFilter(in.rest());
                groups.add(new GroupLine(filter, part, queueId, copyOf(queueId), waiting(queueId)));
            }
        }
        return groups;
    }

    /**
     * Queue id of a client's session; of a client without one, those of its sessions that are set
     * aside.
     */
    private List<Long> queuesOf(ClientId clientId) throws DiskFailure {
        List<Long> aside = new ArrayList<>(0);
        try (Cursor cursor = letter('S')) {
            while (cursor.next()) {
                long queueId = Keys.longAt(cursor.key(), 1);
                ByteReader in = new ByteReader(cursor.value());
                if (!Arrays.equals(in.sized(), clientId.bytes())) {
                    continue;
                }
                SessionRecord session = SessionCodec.read(in, queueId);
                if (session.isAside()) {
                    aside.add(queueId);
                } else if (!session.isOver()) {
                    return List.of(queueId);
                }
            }
        }
        return aside;
    }

    /**
     * Queue ids of a shared group's parts, or of a client: of its session, or, if it has none, of
     * those that are set aside. None when there is no such thing.
     */
    public List<Long> queuesOf(@Nullable ClientId client, @Nullable TopicFilter group)
            throws DiskFailure {
        if (group != null) {
            return groups().stream()
                    .filter(each -> each.filter().equals(group))
                    .map(GroupLine::queueId)
                    .toList();
        }
        return client == null ? List.of() : queuesOf(client);
    }

    private int copyOf(long queueId) throws DiskFailure {
        byte[] led = disk.get(Family.META, Keys.meta('H', queueId));
        QueueLeaders.Leader leader = led == null ? null : QueueLeaders.Leader.of(led);
        return leader == null || leader.isThisNode() ? 0 : leader.epoch().server();
    }

    /** How many entries a family has. */
    public long entries(Family family) throws DiskFailure {
        long count = 0;
        try (Cursor cursor = disk.scan(family, new byte[0], null)) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private Cursor letter(char letter) {
        return disk.scan(Family.META, new byte[] {(byte) letter}, new byte[] {(byte) (letter + 1)});
    }

    private void count(char letter, Map<Long, Integer> by) throws DiskFailure {
        by.clear();
        try (Cursor cursor = letter(letter)) {
            while (cursor.next()) {
                by.merge(Keys.longAt(cursor.key(), 1), 1, Integer::sum);
            }
        }
    }

    private Waiting waiting(long queueId) throws DiskFailure {
        byte[] depth = disk.get(Family.META, Keys.meta('D', queueId));
        if (depth == null) {
            return new Waiting(0, 0, 0, 0);
        }
        StoredDepth stored = StoredDepth.of(depth);
        long idle = stored.idle();
        long bytes = stored.idleBytes();
        int inFlight = stored.inFlight();
        long first = stored.first();
        long oldest = idle == 0 ? 0 : oldest(queueId, Keys.IDLE, first);
        if (inFlight > 0) {
            long inFlightOldest = oldest(queueId, Keys.IN_FLIGHT, 0);
            oldest = oldest == 0 ? inFlightOldest : Math.min(oldest, inFlightOldest);
        }
        return new Waiting(idle + inFlight, bytes, inFlight, oldest);
    }

    /** The wall clock is the upper part of a message id. */
    private long oldest(long queueId, byte status, long after) throws DiskFailure {
        try (Cursor rows =
                disk.scan(
                        Family.QUEUES,
                        Keys.rowsAbove(queueId, status, after),
                        Keys.rowsEnd(queueId, status))) {
            return rows.next() ? Keys.rowClock(rows.key()) >>> 16 : 0;
        }
    }
}
