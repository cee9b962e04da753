package io.godwit.persistence.recovery;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.Recovery.KeptPredecessor;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.persistence.queue.Depths;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.Purge;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.queue.QueueRecords;
import io.godwit.persistence.window.PartOps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells what is stored: one walk over each kind of record, side by side, since all are in the order
 * of their queue ids. No row is read.
 */
public final class Load {
    private final int serverId;
    private final DiskView disk;
    private final Depths depths;
    private final Purge purge;
    private final QueueLeaders queueLeaders;
    private final QueueRecords links;
    private final @Nullable Long only;
    private final Set<Long> alive = new HashSet<>();

    /**
     * @param serverId of this node
     */
    public Load(
            int serverId,
            DiskView disk,
            Depths depths,
            QueueRecords links,
            Purge purge,
            QueueLeaders queueLeaders) {
        this(serverId, disk, depths, links, purge, queueLeaders, null);
    }

    /**
     * Of one queue.
     *
     * @param only the queue; null: all
     */
    private Load(
            int serverId,
            DiskView disk,
            Depths depths,
            QueueRecords links,
            Purge purge,
            QueueLeaders queueLeaders,
            @Nullable Long only) {
        this.queueLeaders = queueLeaders;
        this.links = links;
        this.only = only;
        this.serverId = serverId;
        this.disk = disk;
        this.depths = depths;
        this.purge = purge;
    }

    /** Tells of one queue that was adopted; of one with neither a session nor a group nothing. */
    public void tell(long queueId, Recovery to) throws DiskFailure {
        Load one = new Load(serverId, disk, depths, links, purge, queueLeaders, queueId);
        one.groups(to);
        one.sessions(to);
        to.adopted(queueId);
    }

    /**
     * Tells all of it but what another node leads.
     *
     * @return queues that have neither a session nor a group here: copies, too
     */
    public int tell(Recovery to) throws DiskFailure {
        groups(to);
        sessions(to);
        retainedIngress(to);
        retained(to);
        gone(to);
        streams(to);
        int orphans = 0;
        for (Long queueId : depths.queueIds()) {
            if (!alive.contains(queueId) && !purge.isKnown(queueId)) {
                orphans++;
            }
        }
        return orphans;
    }

    private void groups(Recovery to) throws DiskFailure {
        try (Records groups = records('G');
                Records remembered = records('R')) {
            for (; groups.isThere(); groups.next()) {
                long queueId = groups.queueId();
                alive.add(queueId);
                if (queueLeaders.isCopy(queueId) || links.isPredecessor(queueId)) {
                    continue;
                }
                links.ofGroup(queueId, queueLeaders);
                ByteReader in = new ByteReader(groups.value());
                int number = in.u8();
                if ((number & Recovery.GROUP_ASIDE) != 0) {
                    continue;
                }
                TopicFilter filter = new TopicFilter(in.rest());
                to.group(
                        filter,
                        part(
                                number,
                                queueId,
                                remembered(remembered, queueId),
                                partBefore(number, queueId)));
            }
        }
    }

    private KeptGroupPart part(
            int number,
            long queueId,
            List<KeptIngress> remembered,
            @Nullable KeptGroupPart predecessor)
            throws DiskFailure {
        QueueDepth depth = depths.depth(queueId);
        return new KeptGroupPart(
                number,
                depth == null ? QueueDepth.none(queueId) : depth,
                depth == null || depth.inFlight() == 0 ? List.of() : inFlight(queueId),
                remembered,
                predecessor);
    }

    private @Nullable KeptGroupPart partBefore(int number, long queueId) throws DiskFailure {
        long before = links.predecessor(queueId);
        if (before == 0) {
            return null;
        }
        alive.add(before);
        try (Records remembered = new Records(disk, Keys.meta('R', before))) {
            return part(number, before, remembered(remembered, before), null);
        }
    }

    /** What members have in flight of a group: bounded by their windows. */
    private List<KeptInFlight> inFlight(long queueId) throws DiskFailure {
        List<KeptInFlight> found = new ArrayList<>();
        byte[] from = Keys.row(queueId, Keys.IN_FLIGHT, 0, 0);
        byte[] to = Keys.rowsAbove(queueId, Keys.IN_FLIGHT, -1);
        try (Cursor cursor = disk.scan(Family.QUEUES, from, to)) {
            StoredRow row = new StoredRow();
            while (cursor.next()) {
                row.read(cursor.value());
                Receiver receiver = row.receiver;
                if (receiver != null) {
                    byte[] key = cursor.key();
                    HybridId id = new HybridId(Keys.rowClock(key), Keys.rowServer(key));
                    found.add(new KeptInFlight(id, row.packetId, receiver));
                }
            }
        }
        return found;
    }

    private void sessions(Recovery to) throws DiskFailure {
        try (Records sessions = records('S');
                Records subscriptions = records('B');
                Records inbound = records('I');
                Records remembered = records('R')) {
            for (; sessions.isThere(); sessions.next()) {
                long queueId = sessions.queueId();
                alive.add(queueId);
                if (queueLeaders.isCopy(queueId) || links.isPredecessor(queueId)) {
                    continue;
                }
                List<KeptSubscription> filters = new ArrayList<>(1);
                for (; subscriptions.isUpTo(queueId); subscriptions.next()) {
                    if (subscriptions.queueId() == queueId) {
                        filters.add(subscription(subscriptions));
                    }
                }
                List<Inbound> packets = new ArrayList<>(0);
                for (; inbound.isUpTo(queueId); inbound.next()) {
                    if (inbound.queueId() == queueId) {
                        packets.add(Inbounds.read(inbound.key(), inbound.value()));
                    }
                }
                try {
                    ByteReader in = new ByteReader(sessions.value());
                    ClientId clientId = new ClientId(in.sized());
                    SessionRecord record = SessionCodec.read(in, queueId);
                    links.ofClient(queueId, clientId, queueLeaders);
                    to.session(
                            new KeptSession(
                                    clientId,
                                    record,
                                    filters,
                                    packets,
                                    depths.depth(queueId),
                                    remembered(remembered, queueId),
                                    predecessor(queueId)));
                } catch (IndexOutOfBoundsException e) {
                    throw new StoreDamaged(
                            "the session of queue "
                                    + Long.toUnsignedString(queueId)
                                    + " is damaged",
                            e);
                }
            }
        }
    }

    private @Nullable KeptPredecessor predecessor(long queueId) throws DiskFailure {
        long before = links.predecessor(queueId);
        if (before == 0) {
            return null;
        }
        alive.add(before);
        QueueDepth depth = depths.depth(before);
        try (Records remembered = new Records(disk, Keys.meta('R', before))) {
            return new KeptPredecessor(
                    depth == null ? QueueDepth.none(before) : depth,
                    remembered(remembered, before));
        }
    }

    private static List<KeptIngress> remembered(Records from, long queueId) throws DiskFailure {
        List<KeptIngress> found = new ArrayList<>(0);
        for (; from.isUpTo(queueId); from.next()) {
            if (from.queueId() == queueId) {
                found.add(IngressRows.of(from.key(), from.value()));
            }
        }
        return found;
    }

    private Records records(char letter) throws DiskFailure {
        byte[] from = only == null ? new byte[] {(byte) letter} : Keys.meta(letter, only);
        return new Records(disk, from);
    }

    private KeptSubscription subscription(Records at) {
        byte[] key = at.key();
        byte[] filter = Arrays.copyOfRange(key, 9, key.length);
        ByteReader in = new ByteReader(at.value());
        HybridId stamp = Ids.hybrid(in);
        int options = in.u8();
        int[] ids = in.ints();
        CameBefore before = SubscriptionOptions.before(options, in);
        return new KeptSubscription(
                new TopicFilter(filter),
                SubscriptionOptions.qos(options),
                SubscriptionOptions.noLocal(options),
                SubscriptionOptions.retainAsPublished(options),
                ids,
                // Positions of streams to whoever has written it; others have the same names.
                stamp.server() == serverId ? before : null);
    }

    private void retainedIngress(Recovery to) throws DiskFailure {
        try (Records remembered = new Records(disk, Keys.meta('R', 0))) {
            to.retainedIngress(remembered(remembered, 0));
        }
    }

    private void retained(Recovery to) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.RETAINED, new byte[0], null)) {
            while (cursor.next()) {
                StoredRetained stored = StoredRetained.of(cursor.value());
                Message message = stored.message();
                if (message != null) {
                    to.retained(message, stored.stamp());
                } else {
                    to.retainedGone(new Topic(cursor.key()), stored.stamp());
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new StoreDamaged("a retained message is damaged", e);
        }
    }

    private void gone(Recovery to) throws DiskFailure {
        try (Records gone = records('Z')) {
            for (; gone.isThere(); gone.next()) {
                to.gone(Forgetting.session(gone.key(), gone.value()));
            }
        }
    }

    private void streams(Recovery to) throws DiskFailure {
        for (Subject.StreamAt each : PartOps.streams(disk)) {
            to.stream(each.server(), each.start(), each.position());
        }
    }

    /** Records of one letter of META, one after the other. */
    private static final class Records implements AutoCloseable {
        private final Cursor cursor;
        private boolean there;
        private byte[] key = new byte[9];

        Records(DiskView disk, byte[] prefix) throws DiskFailure {
            cursor = disk.scan(Family.META, prefix, Keys.after(prefix));
            next();
        }

        void next() throws DiskFailure {
            there = cursor.next();
            if (there) {
                key = cursor.key();
            }
        }

        boolean isThere() {
            return there;
        }

        /** Whether it stands at a record of this queue id or one before it. */
        boolean isUpTo(long queueId) {
            return there && Long.compareUnsigned(queueId(), queueId) <= 0;
        }

        long queueId() {
            return Keys.longAt(key, 1);
        }

        byte[] key() {
            return key;
        }

        byte[] value() {
            return cursor.value();
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
