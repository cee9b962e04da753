package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.IngressRows;
import io.godwit.persistence.queue.MetaRecords;
import io.godwit.persistence.queue.QueueLeaders;
import java.io.IOException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes everything out of a store, item by item, in an order in which it can be brought back:
 * floors, sessions with what belongs to them, groups, payloads, queues, retained messages. Rows of
 * this node's own queues without a session or group are what a purge under way has left: they are
 * not told.
 */
public final class StoreExport {
    private final DiskView disk;
    private final Target target;
    private final Set<Long> owners = new HashSet<>();
    private final Set<Long> purged = new HashSet<>();

    /** Copies that are left out. */
    private final Set<Long> leftOut = new HashSet<>();

    private boolean hasCopies = true;
    private boolean hasAside = true;
    private LongPredicate isCoverageLost = queueId -> false;
    private long asideLeftOut;
    private long ownerless;
    private long items;

    /** Takes the items. */
    public interface Target {
        void item(StoreItem item) throws IOException, DiskFailure;
    }

    public StoreExport(DiskView disk, Target target) {
        this.disk = disk;
        this.target = target;
    }

    /** Has copies of other nodes' queues left out. */
    public StoreExport withoutCopies() {
        hasCopies = false;
        return this;
    }

    /** Has what is set aside left out. */
    public StoreExport withoutAside() {
        hasAside = false;
        return this;
    }

    /**
     * Has the coverage of queues left out that have lost messages: what it says is gone may still
     * be in copies.
     *
     * @param isLost asked when all messages were told
     */
    StoreExport withoutCoverage(LongPredicate isLost) {
        isCoverageLost = isLost;
        return this;
    }

    /** Messages that are set aside and were left out. */
    public long asideLeftOut() {
        return asideLeftOut;
    }

    /** Copies that were left out. */
    public int leftOut() {
        return leftOut.size();
    }

    /**
     * Tells everything.
     *
     * @return how many items there were
     */
    public long run() throws IOException, DiskFailure {
        floors();
        letter('P', (key, value) -> purged.add(Keys.longAt(key, 1)));
        if (!hasCopies) {
            letter('H', this::leaveOut);
        }
        letter('S', this::session);
        letter('G', this::group);
        letter('H', this::queueLeader);
        letter('E', this::predecessor);
        letter('B', this::subscription);
        letter('I', this::inbound);
        letter('R', this::remembered);
        letter('A', this::aside);
        family(Family.PAYLOADS, (key, value) -> tell(new StoreItem.Payload(message(value))));
        family(Family.QUEUES, this::row);
        letter('Q', this::coverage);
        family(Family.RETAINED, this::retained);
        letter(
                'Z',
                (key, value) -> tell(new StoreItem.SessionGone(Forgetting.session(key, value))));
        return items;
    }

    /** Rows that were left out, since nobody has their queue. */
    public long ownerless() {
        return ownerless;
    }

    private interface Record {
        void take(byte[] key, byte[] value) throws IOException, DiskFailure;
    }

    private void letter(char letter, Record record) throws IOException, DiskFailure {
        scan(Family.META, new byte[] {(byte) letter}, new byte[] {(byte) (letter + 1)}, record);
    }

    private void family(Family family, Record record) throws IOException, DiskFailure {
        scan(family, new byte[0], null, record);
    }

    private void scan(Family family, byte[] from, byte @Nullable [] to, Record record)
            throws IOException, DiskFailure {
        try (Cursor cursor = disk.scan(family, from, to)) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                try {
                    record.take(key, cursor.value());
                } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                    throw new DiskFailure(
                            "a record of "
                                    + family.columnFamily()
                                    + " can't be understood: key "
                                    + HexFormat.of().formatHex(key),
                            e);
                }
            }
        }
    }

    private void tell(StoreItem item) throws IOException, DiskFailure {
        items++;
        target.item(item);
    }

    private void floors() throws IOException, DiskFailure {
        byte[] ids = disk.get(Family.META, Keys.IDS);
        byte[] clock = disk.get(Family.META, Keys.CLOCK);
        byte[] queueIds = disk.get(Family.META, Keys.QUEUE_IDS);
        tell(
                new StoreItem.Floors(
                        ids == null ? 0 : new ByteReader(ids).varint(),
                        clock == null ? 0 : Keys.longAt(clock, 0),
                        queueIds == null ? 0 : new ByteReader(queueIds).varint()));
    }

    private void leaveOut(byte[] key, byte[] value) {
        if (!QueueLeaders.Leader.of(value).isThisNode()) {
            leftOut.add(Keys.longAt(key, 1));
        }
    }

    private void session(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        if (leftOut.contains(queueId)) {
            return;
        }
        owners.add(queueId);
        tell(sessionItem(key, value));
    }

    private static StoreItem sessionItem(byte[] key, byte[] value) {
        Subject.SessionPut put = MetaRecords.session(key, value);
        return new StoreItem.Session(put.clientId(), put.session());
    }

    private void group(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (leftOut.contains(Keys.longAt(key, 1))) {
            return;
        }
        owners.add(Keys.longAt(key, 1));
        tell(groupItem(key, value));
    }

    private static StoreItem groupItem(byte[] key, byte[] value) {
        ByteReader in = new ByteReader(value);
        int part = in.u8();
        return new StoreItem.Group(Keys.longAt(key, 1), part, new TopicFilter(in.rest()));
    }

    private void queueLeader(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        QueueLeaders.Leader led = QueueLeaders.Leader.of(value);
        if (!led.isThisNode() && !leftOut.contains(queueId) && !purged.contains(queueId)) {
            owners.add(queueId); // Its session may come behind its messages.
        }
        if (owners.contains(queueId)) {
            tell(new StoreItem.QueueLeader(queueId, led.epoch(), led.isThisNode()));
        }
    }

    private void predecessor(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (owners.contains(Keys.longAt(key, 1))) {
            long predecessorId = Keys.longAt(value, 0);
            owners.add(predecessorId);
            tell(new StoreItem.Predecessor(Keys.longAt(key, 1), predecessorId));
        }
    }

    private void subscription(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (owners.contains(Keys.longAt(key, 1))) {
            tell(subscriptionItem(key, value));
        }
    }

    private static StoreItem subscriptionItem(byte[] key, byte[] value) {
        ByteReader in = new ByteReader(value);
        HybridId stamp = Ids.hybrid(in);
        int options = in.u8();
        return new StoreItem.Subscription(
                Keys.longAt(key, 1),
                MetaRecords.filter(key),
                SubscriptionOptions.qos(options),
                SubscriptionOptions.noLocal(options),
                SubscriptionOptions.retainAsPublished(options),
                in.ints(),
                stamp);
    }

    private void retained(byte[] key, byte[] value) throws IOException, DiskFailure {
        StoredRetained retained = StoredRetained.of(value);
        Message message = retained.message();
        if (message != null) {
            tell(new StoreItem.Retained(retained.stamp(), message));
        } else {
            tell(new StoreItem.RetainedGone(new Topic(key), retained.stamp()));
        }
    }

    private void coverage(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.longAt(key, 1);
        if (!isCoverageLost.test(queueId)) {
            Coverage coverage = CoverageCodec.read(new ByteReader(value));
            tell(new StoreItem.Covered(queueId, coverage));
        }
    }

    private void aside(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (AsideRows.isCounts(key)) {
            asideLeftOut += hasAside ? 0 : AsideRows.Counts.of(value).entries();
        } else if (hasAside) {
            tell(new StoreItem.Aside(Keys.asideGeneration(key), item(Keys.ofAside(key), value)));
        }
    }

    /** The record of a session, a group or a subscription as an item. */
    private static StoreItem item(byte[] key, byte[] value) {
        return switch (key[0]) {
            case 'S' -> sessionItem(key, value);
            case 'G' -> groupItem(key, value);
            case 'B' -> subscriptionItem(key, value);
            default -> throw new IllegalArgumentException("no record of a queue: " + key[0]);
        };
    }

    private void inbound(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (!owners.contains(Keys.longAt(key, 1))) {
            return;
        }
        Inbound inbound = Inbounds.read(key, value);
        tell(
                new StoreItem.InboundPublish(
                        inbound.queueId,
                        inbound.packetId,
                        new IngressId(inbound.ingressServer, inbound.ingressCounter),
                        inbound.taken));
    }

    private void remembered(byte[] key, byte[] value) throws IOException, DiskFailure {
        if (Keys.longAt(key, 1) == 0 || owners.contains(Keys.longAt(key, 1))) {
            KeptIngress each = IngressRows.of(key, value);
            tell(new StoreItem.Remembered(Keys.longAt(key, 1), each.id(), each.ingress()));
        }
    }

    private void row(byte[] key, byte[] value) throws IOException, DiskFailure {
        long queueId = Keys.rowQueue(key);
        if (AsideRows.isAside(key)) {
            if (hasAside) {
                tell(new StoreItem.Aside(HybridId.NONE, item(key, read(value))));
            }
            return;
        }
        if (!owners.contains(queueId)) {
            ownerless += purged.contains(queueId) || leftOut.contains(queueId) ? 0 : 1;
            return;
        }
        tell(item(key, read(value)));
    }

    private static StoredRow read(byte[] value) {
        StoredRow row = new StoredRow();
        row.read(value);
        return row;
    }

    /** A row as an item. */
    static StoreItem item(byte[] key, StoredRow row) {
        long queueId = Keys.rowQueue(key);
        HybridId id = Keys.rowId(key);
        if (row.isMarker) {
            return new StoreItem.Marker(
                    queueId,
                    id,
                    row.kind,
                    row.packetId,
                    row.receiver,
                    new IngressId(row.server, row.counter));
        }
        Message own = row.message;
        StoreItem.Body body =
                own == null
                        ? new StoreItem.Body.Shared(
                                row.server, row.counter, row.bytes, row.expiresAtMs)
                        : new StoreItem.Body.Own(own);
        return new StoreItem.Queued(
                queueId, id, key[8] == Keys.IDLE, row.qos, row.retain, row.ids, row.packetId, body);
    }

    private static Message message(byte[] value) {
        return MessageCodec.read(new ByteReader(value));
    }
}
