package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.KeptRows.Row;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptPredecessor;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is durable in a {@link KeptStore}: each method is one operation of a commit, applied whole.
 */
public final class KeptState {
    private static final KeptRows NO_ROWS = new KeptRows();

    private long queueCeiling;
    private final TreeMap<Long, SessionState> sessions = new TreeMap<>();

    private record GroupPart(TopicFilter filter, int part) {}

    /** By queue id. */
    private final TreeMap<Long, GroupPart> groups = new TreeMap<>();

    private final Map<Long, Long> predecessors = new HashMap<>();
    private final Map<Long, KeptRows> queues = new HashMap<>();
    private final KeptRetained retained = new KeptRetained();

    // ---------------------------------------------------------------- operations

    void putSession(ClientId clientId, SessionRecord record) {
        SessionState known = sessions.get(record.queueId());
        if (known == null) {
            sessions.values()
                    .removeIf(older -> {
                        if (!older.clientId.equals(clientId)
                                || older.record.isOver()
                                || older.record.isAside()
                                || record.isOver()) {
                            return false;
                        }
                        throw new AssertionError(clientId + " has two sessions: " + older.record);
                    });
            sessions.put(record.queueId(), new SessionState(clientId, record));
        } else {
            known.record = record;
        }
    }

    void removeSession(long queueId) {
        sessions.remove(queueId);
        predecessors.remove(queueId);
        predecessors.values().remove(queueId);
        queues.remove(queueId);
    }

    void putSubscription(long queueId, KeptSubscription subscription) {
        SessionState session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("a subscription of no session: " + subscription.filter());
        }
        session.subscriptions.put(subscription.filter(), subscription);
    }

    void removeSubscription(long queueId, TopicFilter filter) {
        SessionState session = sessions.get(queueId);
        if (session != null) {
            session.subscriptions.remove(filter);
        }
    }

    void putGroup(TopicFilter filter, int part, long queueId) {
        groups.put(queueId, new GroupPart(filter, part));
    }

    void removeGroup(long queueId) {
        groups.remove(queueId);
        predecessors.remove(queueId);
        predecessors.values().remove(queueId);
        queues.remove(queueId);
    }

    void append(QueuedMessage entry, Message message) {
        KeptRows queue = queue(entry.queueId);
        HybridId id = entry.id();
        Row row = new Row(id, entry.qos, entry.retain, entry.ids, message, 0);
        if (queue.rows.put(id, row) != null) {
            throw new AssertionError("message id " + id + " was given twice");
        }
        queue.last = queue.last.compareTo(id) < 0 ? id : queue.last;
    }

    void remember(Remembered each) {
        HybridId id = new HybridId(each.clock, each.server);
        IngressId ingress = new IngressId(each.ingressServer, each.ingressCounter);
        if (queue(each.queueId).remembered.put(id, new KeptIngress(id, ingress)) != null) {
            throw new AssertionError("remembered twice: " + id);
        }
    }

    void forget(Remembered each) {
        KeptRows queue = queues.get(each.queueId);
        if (queue != null) {
            queue.remembered.remove(new HybridId(each.clock, each.server));
        }
    }

    /** Whether an entry is in the journal alone, or a row by now. */
    void journaled(QueuedMessage entry, boolean is) {
        Row row = row(entry);
        if (row != null) {
            row.journaled = is;
        }
    }

    public void allRows() {
        queues.values().forEach(queue -> queue.rows.values().forEach(r -> r.journaled = false));
    }

    void inFlight(QueuedMessage entry, int packetId) {
        Row row = row(entry);
        if (row != null) {
            row.packetId = packetId;
            row.receiver = null;
        }
    }

    void inFlightTo(QueuedMessage entry, int packetId, Receiver to) {
        Row row = row(entry);
        if (row != null) {
            row.packetId = packetId;
            row.receiver = to;
        }
    }

    void released(QueuedMessage entry) {
        Row row = row(entry);
        if (row != null) {
            row.released = true;
            row.message = null;
        }
    }

    void remove(long queueId, HybridId id) {
        KeptRows queue = queues.get(queueId);
        if (queue != null) {
            queue.rows.remove(id);
        }
    }

    void marker(long queueId, HybridId id, int packetId) {
        if (!sessions.containsKey(queueId)) {
            return;
        }
        Row row = new Row(id, 2, false, new int[0], null, packetId);
        row.isMarker = true;
        row.released = true;
        KeptRows queue = queue(queueId);
        queue.rows.put(id, row);
        queue.last = queue.last.compareTo(id) < 0 ? id : queue.last;
    }

    void putInbound(long queueId, int packetId, int server, long ingressCounter) {
        SessionState session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("an inbound id of no session");
        }
        session.putInbound(packetId, server, ingressCounter);
    }

    void inboundTaken(long queueId, int packetId, int server, long ingressCounter) {
        SessionState session = sessions.get(queueId);
        if (session != null) {
            session.inboundTaken(packetId, server, ingressCounter);
        }
    }

    void removeInbound(long queueId, int packetId) {
        SessionState session = sessions.get(queueId);
        if (session != null) {
            session.removeInbound(packetId);
        }
    }

    void reserveQueueIds(long ceiling) {
        if (ceiling <= queueCeiling) {
            throw new AssertionError("reserved again: " + ceiling + " below " + queueCeiling);
        }
        queueCeiling = ceiling;
    }

    /** What the next start of a store may give. */
    public IdFloor floor(long start, long clock) {
        long from = queueCeiling;
        queueCeiling += IdFloor.QUEUE_BLOCK;
        return new IdFloor(start, clock, from, queueCeiling);
    }

    private KeptRows queue(long queueId) {
        return queues.computeIfAbsent(queueId, id -> new KeptRows());
    }

    private @Nullable Row row(QueuedMessage entry) {
        KeptRows queue = queues.get(entry.queueId);
        return queue == null ? null : queue.rows.get(entry.id());
    }

    // ---------------------------------------------------------------- what a start reads

    public void recover(Recovery to) {
        groups.forEach((id, group) -> {
            Long before = predecessors.get(id);
            KeptGroupPart predecessor = before == null ? null : keptPart(group, before, null);
            to.group(group.filter, keptPart(group, id, predecessor));
        });
        sessions.forEach((queueId, session) ->
                to.session(
                        new KeptSession(
                                session.clientId,
                                FromDisk.session(session.record),
                                List.copyOf(session.subscriptions.values()),
                                session.inbound(queueId),
                                depth(queueId),
                                remembered(queueId),
                                keptPredecessor(queueId))));
        to.retainedIngress(remembered(0));
        retained.recover(to);
    }

    private KeptGroupPart keptPart(
            GroupPart group, long queueId, @Nullable KeptGroupPart predecessor) {
        KeptRows rows = queues.get(queueId);
        return new KeptGroupPart(
                group.part,
                rows == null ? QueueDepth.none(queueId) : rows.depth(queueId),
                rows == null ? List.of() : rows.inFlightTo(),
                remembered(queueId),
                predecessor);
    }

    private @Nullable KeptPredecessor keptPredecessor(long queueId) {
        Long before = predecessors.get(queueId);
        QueueDepth depth = before == null ? null : depth(before);
        return before == null
                ? null
                : new KeptPredecessor(
                        depth == null ? QueueDepth.none(before) : depth, remembered(before));
    }

    private @Nullable QueueDepth depth(long queueId) {
        KeptRows queue = queues.get(queueId);
        return queue == null ? null : queue.depth(queueId);
    }

    /** Shows the page's rows. */
    public void read(RowRead read) {
        queues.getOrDefault(read.queueId, NO_ROWS).read(read);
    }

    // ---------------------------------------------------------------- what tests ask

    public int sessions() {
        return sessions.size();
    }

    /** That of the session that a client id has; else of one that has ended and owes a will. */
    public @Nullable SessionRecord session(ClientId clientId) {
        SessionRecord over = null;
        for (SessionState session : sessions.values()) {
            if (session.clientId.equals(clientId)) {
                over = session.record;
                if (!over.isOver()) {
                    return over;
                }
            }
        }
        return over;
    }

    public Collection<KeptSubscription> subscriptions(long queueId) {
        SessionState session = sessions.get(queueId);
        return session == null ? List.of() : session.subscriptions.values();
    }

    /** Puts another queue before a session's, as a merge leaves two sessions of one client. */
    public void precede(long queueId, long predecessorId) {
        sessions.remove(predecessorId);
        groups.remove(predecessorId);
        predecessors.put(queueId, predecessorId);
    }

    /** As a merge leaves it: with an entry from another copy of the queue. */
    public void copied(long queueId, HybridId id, Message message) {
        KeptRows queue = queue(queueId);
        queue.rows.put(id, new Row(id, message.qos, false, new int[0], message, 0));
        queue.last = queue.last.compareTo(id) < 0 ? id : queue.last;
    }

    /** Queue id of what goes before a queue; 0 for nothing. */
    public long predecessor(long queueId) {
        return predecessors.getOrDefault(queueId, 0L);
    }

    /** A crash has taken along that everyone had this QoS 2 PUBLISH. */
    public void notTaken(long queueId, int packetId) {
        Objects.requireNonNull(sessions.get(queueId)).inboundNotTaken(packetId);
    }

    /** What a queue remembers of QoS 2 messages, in the order of the message ids. */
    public List<KeptIngress> remembered(long queueId) {
        KeptRows queue = queues.get(queueId);
        return queue == null ? List.of() : List.copyOf(queue.remembered.values());
    }

    /** How many QoS 2 messages all queues remember. */
    public int remembered() {
        return queues.values().stream().mapToInt(queue -> queue.remembered.size()).sum();
    }

    /** In id order. */
    public Collection<Row> rows(long queueId) {
        KeptRows queue = queues.get(queueId);
        return queue == null ? List.of() : queue.rows.values();
    }

    /** The queues of the group's parts. */
    public List<Long> group(TopicFilter filter) {
        return groups.entrySet().stream()
                .filter(each -> each.getValue().filter.equals(filter))
                .map(Map.Entry::getKey)
                .toList();
    }

    public int groups() {
        return groups.size();
    }

    /** Rows of all queues. */
    public int rows() {
        return queues.values().stream().mapToInt(queue -> queue.rows.size()).sum();
    }

    /** Packet ids of QoS 2 PUBLISHes without PUBREL. */
    public Collection<Integer> inbound(long queueId) {
        SessionState session = sessions.get(queueId);
        return session == null ? List.of() : session.inboundIds();
    }

    /** What is retained. */
    public KeptRetained retained() {
        return retained;
    }

    static KeptSubscription copy(Subscription s) {
        return new KeptSubscription(
                s.filter, s.qos, s.noLocal, s.retainAsPublished, s.ids, s.cameBefore());
    }
}
