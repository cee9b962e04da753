package io.godwit.persistence.inspect;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.CoverageCodec;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRetained;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.queue.AsideRows;
import io.godwit.persistence.queue.Forgetting;
import io.godwit.persistence.queue.Inbounds;
import io.godwit.persistence.queue.QueueLeaders;
import io.godwit.persistence.settings.StoreSettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Brings items into a store that holds nothing. Counts, uses and indexes are made anew, so they fit
 * the rows whatever they were before. Ids stay as they are: the floors lie above all of them.
 */
public final class StoreImport implements StoreExport.Target {
    private static final int BATCH_BYTES = 1 << 20;

    private final Disk disk;
    private final Forgetting forgetting;
    private final Map<PayloadId, Long> uses = new HashMap<>();
    private final Set<Long> owners = new HashSet<>();
    private final Set<Long> groups = new HashSet<>();

    /** Ids that have a marker in the queue under way. */
    private final Map<HybridId, Integer> packetIds = new HashMap<>();

    private final Batch batch = new Batch(1 << 16);
    private final ByteWriter value = new ByteWriter(1024);
    private final Map<Long, Long> dropped = new HashMap<>();

    /** What is set aside, by queue. */
    private final Map<Long, AsideRows.Counts> aside = new HashMap<>();

    private StoreItem.Floors floors = new StoreItem.Floors(0, 0, 0);
    private long clock;
    private QueueCount queue = new QueueCount(0);

    /**
     * @param disk of a new store
     */
    public StoreImport(Disk disk) {
        this.disk = disk;
        forgetting = new Forgetting(disk, new QueueLeaders(), StoreSettings.FORGET_MAX);
    }

    @Override
    public void item(StoreItem item) throws IOException, DiskFailure {
        switch (item) {
            case StoreItem.Floors given -> floors = given;
            case StoreItem.Session session -> session(session);
            case StoreItem.Subscription subscription -> subscription(subscription);
            case StoreItem.InboundPublish inbound -> inbound(inbound);
            case StoreItem.Remembered remembered -> remembered(remembered);
            case StoreItem.Group group -> {
                owners.add(group.queueId());
                groups.add(group.queueId());
                write(group);
                put(Family.META, Keys.meta('G', group.queueId()));
            }
            case StoreItem.Payload payload -> payload(payload.message());
            case StoreItem.Queued queued -> queued(queued);
            case StoreItem.Marker marker -> marker(marker);
            case StoreItem.QueueLeader led -> {
                byte[] key = Keys.meta('H', led.queueId());
                byte[] stored = new QueueLeaders.Leader(led.epoch(), led.isThisNode()).toBytes();
                batch.put(Family.META, key, stored);
            }
            case StoreItem.Predecessor each -> {
                owners.add(each.predecessorId());
                byte[] stored = Keys.position(each.predecessorId());
                batch.put(Family.META, Keys.meta('E', each.queueId()), stored);
            }
            case StoreItem.Covered covered -> {
                value.clear();
                CoverageCodec.write(value, covered.coverage());
                put(Family.META, Keys.meta('Q', covered.queueId()));
            }
            case StoreItem.RetainedGone gone ->
                    forgetting.retainedGone(batch, gone.topic(), gone.stamp());
            case StoreItem.SessionGone gone -> forgetting.sessionGone(batch, gone.session());
            case StoreItem.Aside each -> aside(each);
            case StoreItem.Retained retained -> {
                value.clear();
                StoredRetained.write(value, retained.stamp(), retained.message());
                put(Family.RETAINED, retained.message().topic.bytes());
            }
        }
        if (batch.length() > BATCH_BYTES) {
            write();
        }
    }

    /** Writes what comes last; then all of it is on the disk. */
    public void finish() throws DiskFailure {
        endQueue();
        aside.forEach((queueId, counts) ->
                batch.put(Family.META, Keys.meta('A', queueId), counts.toBytes()));
        for (Map.Entry<PayloadId, Long> each : uses.entrySet()) {
            PayloadId id = each.getKey();
            if (each.getValue() == 0) {
                batch.delete(Family.PAYLOADS, Keys.payload(id.server(), id.counter()));
            } else {
                value.clear();
                value.varint(each.getValue());
                put(Family.META, Keys.uses(id.server(), id.counter()));
            }
            if (batch.length() > BATCH_BYTES) {
                write();
            }
        }
        value.clear();
        value.varint(floors.startNumber());
        put(Family.META, Keys.IDS);
        value.clear();
        value.varint(floors.queueCounters());
        put(Family.META, Keys.QUEUE_IDS);
        batch.put(Family.META, Keys.CLOCK, Keys.position(Math.max(clock, floors.clock())));
        write();
        disk.flush();
    }

    /** Messages that could not be taken, since what they refer to is missing; by queue id. */
    public Map<Long, Long> dropped() {
        return Map.copyOf(dropped);
    }

    private void write() throws DiskFailure {
        disk.write(batch);
        batch.clear();
    }

    private void put(Family family, byte[] key) {
        batch.put(family, key, key.length, value.array(), 0, value.length());
    }

    private void aside(StoreItem.Aside aside) throws IOException {
        byte[] key;
        switch (aside.item()) {
            case StoreItem.Session session -> {
                write(session);
                key = Keys.meta('S', session.session().queueId());
            }
            case StoreItem.Group group -> {
                write(group);
                key = Keys.meta('G', group.queueId());
            }
            case StoreItem.Subscription subscription -> {
                write(subscription);
                key = Keys.subscription(subscription.queueId(), subscription.filter().bytes());
            }
            case StoreItem.Queued queued -> {
                queuedAside(queued);
                return;
            }
            default -> throw new IOException("such a record is never set aside");
        }
        put(Family.META, Keys.aside(aside.generation(), key));
        aside(Keys.longAt(key, 1), 0, 0);
    }

    private void queuedAside(StoreItem.Queued item) {
        if (writeRow(item)) {
            HybridId id = item.id();
            clock = Math.max(clock, id.clock());
            put(Family.QUEUES, Keys.row(item.queueId(), Keys.ASIDE, id.clock(), id.server()));
            aside(item.queueId(), 1, bytes(item));
        } else {
            dropped.merge(item.queueId(), 1L, Long::sum);
        }
    }

    private void aside(long queueId, long entries, long bytes) {
        AsideRows.Counts before = aside.getOrDefault(queueId, new AsideRows.Counts(0, 0));
        aside.put(
                queueId, new AsideRows.Counts(before.entries() + entries, before.bytes() + bytes));
    }

    private void session(StoreItem.Session item) {
        owners.add(item.session().queueId());
        write(item);
        put(Family.META, Keys.meta('S', item.session().queueId()));
    }

    private void write(StoreItem.Session item) {
        value.clear();
        value.sized(item.clientId().bytes());
        SessionCodec.write(value, item.session());
    }

    private void write(StoreItem.Group item) {
        value.clear();
        value.u8(item.part()).raw(item.filter().bytes());
    }

    private void subscription(StoreItem.Subscription item) throws IOException {
        checkOwner(item.queueId(), "subscription to " + item.filter());
        write(item);
        put(Family.META, Keys.subscription(item.queueId(), item.filter().bytes()));
    }

    private void write(StoreItem.Subscription item) {
        value.clear();
        Ids.hybrid(value, item.stamp());
        SubscriptionOptions.write(
                value,
                new Subject.SubscriptionPut(
                        item.queueId(),
                        item.filter(),
                        item.qos(),
                        item.noLocal(),
                        item.retainAsPublished(),
                        item.ids(),
                        item.stamp()));
    }

    private void inbound(StoreItem.InboundPublish item) throws IOException {
        checkOwner(item.queueId(), "inbound PUBLISH " + item.packetId());
        byte[] key = Keys.inbound(item.queueId(), item.packetId());
        batch.put(Family.META, key, Inbounds.value(item.ingress(), item.taken()));
    }

    private void remembered(StoreItem.Remembered item) throws IOException {
        HybridId id = item.id();
        if (item.queueId() != 0) {
            checkOwner(item.queueId(), "remembered message " + Queues.text(id));
        }
        clock = Math.max(clock, id.clock());
        value.clear();
        Ids.ingress(value, item.ingress().server(), item.ingress().counter());
        put(Family.META, Keys.remembered(item.queueId(), id.clock(), id.server()));
    }

    private void checkOwner(long queueId, String what) throws IOException {
        if (!owners.contains(queueId)) {
            throw new IOException(
                    "the "
                            + what
                            + " belongs to queue "
                            + Queues.text(queueId)
                            + ", which the file has not defined before");
        }
    }

    private void payload(Message message) {
        uses.put(new PayloadId(message.ingressServer, message.ingressCounter), 0L);
        value.clear();
        MessageCodec.write(value, message);
        put(Family.PAYLOADS, Keys.payload(message.ingressServer, message.ingressCounter));
    }

    private void queued(StoreItem.Queued item) throws IOException {
        checkOwner(item.queueId(), "message " + Queues.text(item.id()));
        begin(item.queueId());
        if (!writeRow(item)) {
            dropped.merge(item.queueId(), 1L, Long::sum);
            queue.lost.add(item.id());
            return;
        }
        int bytes = bytes(item);
        long expiresAtMs =
                switch (item.body()) {
                    case StoreItem.Body.Own own -> own.message().expiresAtMs;
                    case StoreItem.Body.Shared shared -> shared.expiresAtMs();
                };
        HybridId id = item.id();
        clock = Math.max(clock, id.clock());
        byte status = item.idle() ? Keys.IDLE : Keys.IN_FLIGHT;
        put(Family.QUEUES, Keys.row(item.queueId(), status, id.clock(), id.server()));
        queue.row(item.idle(), id, item.packetId(), bytes);
        if (item.idle() && expiresAtMs != Message.NEVER && !queue.marked.contains(id)) {
            batch.put(
                    Family.EXPIRY,
                    Keys.expiry(expiresAtMs, item.queueId(), id.clock(), id.server()),
                    expiryValue(bytes));
        }
    }

    private static int bytes(StoreItem.Queued item) {
        return switch (item.body()) {
            case StoreItem.Body.Own own -> QueuedMessage.bytes(own.message());
            case StoreItem.Body.Shared shared -> shared.bytes();
        };
    }

    /**
     * Makes a row of a message, and counts its use of a payload.
     *
     * @return false when the payload is missing
     */
    private boolean writeRow(StoreItem.Queued item) {
        value.clear();
        switch (item.body()) {
            case StoreItem.Body.Own own ->
                    StoredRow.write(
                            value,
                            item.qos(),
                            item.retain(),
                            item.ids(),
                            item.packetId(),
                            own.message());
            case StoreItem.Body.Shared shared -> {
                PayloadId id = new PayloadId(shared.server(), shared.counter());
                if (uses.computeIfPresent(id, (same, count) -> count + 1) == null) {
                    return false;
                }
                StoredRow.writeReference(
                        value,
                        item.qos(),
                        item.retain(),
                        item.ids(),
                        item.packetId(),
                        shared.server(),
                        shared.counter(),
                        shared.bytes(),
                        shared.expiresAtMs());
            }
        }
        return true;
    }

    /** What the index of expiries says of a row. */
    static byte[] expiryValue(int bytes) {
        return new ByteWriter(5).varint(bytes).toBytes();
    }

    private void marker(StoreItem.Marker item) throws IOException {
        checkOwner(item.queueId(), "packet " + item.packetId());
        begin(item.queueId());
        HybridId id = item.id();
        clock = Math.max(clock, id.clock());
        value.clear();
        Receiver receiver = item.receiver();
        if (receiver != null) {
            StoredRow.writeToMember(value, item.packetId(), receiver);
        } else if (item.kind() == StoredRow.IDLE_ROW) {
            StoredRow.writeMarker(value, item.packetId());
        } else if (item.kind() == StoredRow.GOT) {
            StoredRow.writeGot(
                    value, item.packetId(), item.ingress().server(), item.ingress().counter());
        } else {
            StoredRow.writeReleased(
                    value, item.packetId(), item.ingress().server(), item.ingress().counter());
        }
        put(Family.QUEUES, Keys.row(item.queueId(), Keys.IN_FLIGHT, id.clock(), id.server()));
        queue.marker(item.kind(), id, item.packetId());
        packetIds.put(id, item.packetId());
    }

    private QueueHandle.Kind kind(long queueId) {
        return groups.contains(queueId) ? QueueHandle.Kind.GROUP_PART : QueueHandle.Kind.SESSION;
    }

    private void begin(long queueId) {
        if (queue.queueId != queueId) {
            endQueue();
            queue = new QueueCount(queueId);
        }
    }

    private void endQueue() {
        for (HybridId id : queue.lost) {
            if (queue.marked.contains(id)) {
                // In flight, but its message is gone.
                batch.delete(
                        Family.QUEUES,
                        Keys.row(queue.queueId, Keys.IN_FLIGHT, id.clock(), id.server()));
                queue.lost(id, packetIds.getOrDefault(id, 0));
            }
        }
        packetIds.clear();
        if (!queue.isEmpty()) {
            batch.put(
                    Family.META, Keys.meta('D', queue.queueId), queue.toBytes(kind(queue.queueId)));
        }
    }
}
