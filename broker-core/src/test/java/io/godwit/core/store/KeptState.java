package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is durable in a {@link KeptStore}: each method is one operation of a commit, applied whole.
 */
public final class KeptState {
    /** A message of a queue, or a marker of one. */
    public static final class Row {
        public final long messageId;
        public final int qos;
        public final boolean retain;
        public final int[] ids;

        /** Null once PUBREC came, and for an entry of a group: that stands in the group's queue. */
        public @Nullable Message message;

        /** 0 while it is idle. */
        public int packetId;

        /** Of a group's entry that is in flight. */
        public @Nullable Receiver receiver;

        /** In a session's queue: it has got an entry of a group. */
        public boolean isMarker;

        public boolean released;

        /** In the journal alone: not to be read yet. */
        boolean journaled;

        Row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId) {
            this.messageId = messageId;
            this.qos = qos;
            this.retain = retain;
            this.ids = ids;
            this.message = message;
            this.packetId = packetId;
        }

        public int bytes() {
            return 64 + (message == null ? 0 : message.accountedBytes());
        }
    }

    private static final class Queue {
        final TreeMap<Long, Row> rows = new TreeMap<>();
        long last;
    }

    private static final class Session {
        final ClientId clientId;
        SessionRecord record;
        final Map<TopicFilter, KeptSubscription> subscriptions = new LinkedHashMap<>();
        final Map<Integer, InboundId> inbound = new TreeMap<>();

        Session(ClientId clientId, SessionRecord record) {
            this.clientId = clientId;
            this.record = record;
        }
    }

    private record InboundId(int server, long ingressCounter, boolean taken) {
        IngressId ingress() {
            return new IngressId(server, ingressCounter);
        }
    }

    private long queueCeiling;
    private final TreeMap<Long, Session> sessions = new TreeMap<>();

    private record GroupPart(TopicFilter filter, int part) {}

    /** By queue id. */
    private final TreeMap<Long, GroupPart> groups = new TreeMap<>();

    private final Map<Long, Queue> queues = new HashMap<>();
    private final Map<Topic, Message> retained = new LinkedHashMap<>();

    /** Of what is retained, and of what was deleted. */
    private final Map<Topic, HybridId> retainedStamps = new LinkedHashMap<>();

    /** By ingress counter: who has got a QoS 2 PUBLISH that is not taken yet. */
    private final Map<IngressId, TreeSet<Long>> hasIt = new HashMap<>();

    // ---------------------------------------------------------------- operations

    void putSession(ClientId clientId, SessionRecord record) {
        Session known = sessions.get(record.queueId());
        if (known == null) {
            sessions.values()
                    .removeIf(older -> {
                        if (!older.clientId.equals(clientId)
                                || older.record.isOver()
                                || record.isOver()) {
                            return false;
                        }
                        throw new AssertionError(clientId + " has two sessions: " + older.record);
                    });
            sessions.put(record.queueId(), new Session(clientId, record));
        } else {
            known.record = record;
        }
    }

    void removeSession(long queueId) {
        Session removed = sessions.remove(queueId);
        if (removed != null) {
            removed.inbound.values().forEach(id -> hasIt.remove(id.ingress()));
        }
        queues.remove(queueId);
    }

    void putSubscription(long queueId, KeptSubscription subscription) {
        Session session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("a subscription of no session: " + subscription.filter());
        }
        session.subscriptions.put(subscription.filter(), subscription);
    }

    void removeSubscription(long queueId, TopicFilter filter) {
        Session session = sessions.get(queueId);
        if (session != null) {
            session.subscriptions.remove(filter);
        }
    }

    void putGroup(TopicFilter filter, int part, long queueId) {
        groups.put(queueId, new GroupPart(filter, part));
    }

    void removeGroup(long queueId) {
        groups.remove(queueId);
        queues.remove(queueId);
    }

    void append(QueuedMessage entry, Message message) {
        Queue queue = queue(entry.queueId);
        if (entry.messageId <= queue.last && queue.rows.containsKey(entry.messageId)) {
            throw new AssertionError("message id " + entry.messageId + " was given twice");
        }
        queue.last = Math.max(queue.last, entry.messageId);
        queue.rows.put(
                entry.messageId,
                new Row(entry.messageId, entry.qos, entry.retain, entry.ids, message, 0));
        TreeSet<Long> has = hasIt.get(new IngressId(message.ingressServer, message.ingressCounter));
        if (has != null) {
            has.add(entry.queueId);
        }
    }

    /** Whether an entry is in the journal alone, or a row by now. */
    void journaled(long queueId, long messageId, boolean is) {
        Row row = row(queueId, messageId);
        if (row != null) {
            row.journaled = is;
        }
    }

    public void allRows() {
        queues.values().forEach(queue -> queue.rows.values().forEach(r -> r.journaled = false));
    }

    void inFlight(long queueId, long messageId, int packetId) {
        Row row = row(queueId, messageId);
        if (row != null) {
            row.packetId = packetId;
            row.receiver = null;
        }
    }

    void inFlightTo(long queueId, long messageId, int packetId, Receiver to) {
        Row row = row(queueId, messageId);
        if (row != null) {
            row.packetId = packetId;
            row.receiver = to;
        }
    }

    void released(long queueId, long messageId) {
        Row row = row(queueId, messageId);
        if (row != null) {
            row.released = true;
            row.message = null;
        }
    }

    void remove(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        if (queue != null) {
            queue.rows.remove(messageId);
        }
    }

    void marker(long queueId, long messageId, int packetId) {
        if (!sessions.containsKey(queueId)) {
            return;
        }
        Row row = new Row(messageId, 2, false, new int[0], null, packetId);
        row.isMarker = true;
        row.released = true;
        queue(queueId).rows.put(messageId, row);
    }

    void putInbound(long queueId, int packetId, int server, long ingressCounter) {
        Session session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("an inbound id of no session");
        }
        InboundId before =
                session.inbound.put(packetId, new InboundId(server, ingressCounter, false));
        if (before != null) {
            hasIt.remove(before.ingress());
        }
        hasIt.put(new IngressId(server, ingressCounter), new TreeSet<>());
    }

    void inboundTaken(long queueId, int packetId, int server, long ingressCounter) {
        Session session = sessions.get(queueId);
        if (session != null
                && session.inbound.replace(
                        packetId,
                        new InboundId(server, ingressCounter, false),
                        new InboundId(server, ingressCounter, true))) {
            hasIt.remove(new IngressId(server, ingressCounter));
        }
    }

    void removeInbound(long queueId, int packetId) {
        Session session = sessions.get(queueId);
        InboundId removed = session == null ? null : session.inbound.remove(packetId);
        if (removed != null) {
            hasIt.remove(removed.ingress());
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

    void putRetained(Message message, HybridId stamp) {
        retainedStamps.put(message.topic, stamp);
        retained.put(message.topic, message);
        TreeSet<Long> has = hasIt.get(new IngressId(message.ingressServer, message.ingressCounter));
        if (has != null) {
            has.add(0L);
        }
    }

    void removeRetained(Topic topic, HybridId stamp) {
        retainedStamps.put(topic, stamp);
        retained.remove(topic);
    }

    private Queue queue(long queueId) {
        return queues.computeIfAbsent(queueId, id -> new Queue());
    }

    private @Nullable Row row(long queueId, long messageId) {
        Queue queue = queues.get(queueId);
        return queue == null ? null : queue.rows.get(messageId);
    }

    // ---------------------------------------------------------------- what a start reads

    public void recover(Recovery to) {
        groups.forEach((id, group) -> {
            QueueDepth depth = depth(id);
            to.group(
                    group.filter,
                    group.part,
                    depth == null ? new QueueDepth(id, 0, 0, 0, 0, 0) : depth,
                    inFlight(id));
        });
        sessions.forEach((queueId, session) ->
                to.session(
                        new KeptSession(
                                session.clientId,
                                read(session.record),
                                List.copyOf(session.subscriptions.values()),
                                inbound(queueId, session),
                                depth(queueId))));
        retainedStamps.forEach((topic, stamp) -> {
            Message message = retained.get(topic);
            if (message != null) {
                to.retained(read(message), stamp);
            } else {
                to.retainedGone(topic, stamp);
            }
        });
    }

    private List<KeptInFlight> inFlight(long queueId) {
        List<KeptInFlight> all = new ArrayList<>();
        for (Row row : rows(queueId)) {
            Receiver receiver = row.receiver;
            if (receiver != null) {
                all.add(new KeptInFlight(new HybridId(row.messageId, 0), row.packetId, receiver));
            }
        }
        return all;
    }

    private List<KeptInbound> inbound(long queueId, Session session) {
        List<KeptInbound> all = new ArrayList<>();
        session.inbound.forEach((packetId, id) -> {
            Inbound inbound = new Inbound(queueId, packetId, id.server, id.ingressCounter);
            inbound.taken = id.taken;
            TreeSet<Long> has = hasIt.get(id.ingress());
            all.add(
                    new KeptInbound(
                            inbound,
                            id.taken || has == null
                                    ? null
                                    : has.stream().mapToLong(Long::longValue).toArray()));
        });
        return all;
    }

    private @Nullable QueueDepth depth(long queueId) {
        Queue queue = queues.get(queueId);
        if (queue == null) {
            return null;
        }
        long idle = 0;
        long idleBytes = 0;
        int inFlight = 0;
        long first = queue.last;
        for (Row row : queue.rows.values()) {
            if (row.packetId != 0) {
                inFlight++;
                continue;
            }
            first = Math.min(first, row.messageId - 1);
            idle++;
            idleBytes += row.bytes();
        }
        return new QueueDepth(queueId, idle, idleBytes, inFlight, first, queue.last);
    }

    /** Shows the page's rows. */
    public void read(RowRead read) {
        Queue queue = queues.get(read.queueId);
        Collection<Row> rows =
                queue == null
                        ? List.of()
                        : queue.rows.subMap(read.after, false, read.upTo, true).values();
        int messages = 0;
        long bytes = 0;
        for (Row row : rows) {
            if (row.journaled || (row.packetId == 0) != (read.section == RowRead.Section.IDLE)) {
                continue;
            }
            if (messages == read.messagesMax || bytes >= read.bytesMax) {
                return;
            }
            Message message = row.message;
            messages++;
            bytes += row.bytes();
            if (row.isMarker) {
                read.marker(row.messageId, row.packetId);
                continue;
            }
            read.row(
                    row.messageId,
                    row.qos,
                    row.retain,
                    row.ids,
                    message == null ? null : read(message),
                    row.packetId,
                    null);
        }
        read.isLast = true;
    }

    /** As from a disk: nothing of the process that wrote it. */
    private static Message read(Message message) {
        return new Message(
                new Topic(message.topic.bytes()),
                message.payload,
                message.properties,
                message.qos,
                message.retain,
                message.expiresAtMs,
                message.publisher,
                message.ingressServer,
                message.ingressCounter);
    }

    private static SessionRecord read(SessionRecord record) {
        KeptWill will = record.will();
        return new SessionRecord(
                record.queueId(),
                record.generation(),
                record.stamp(),
                record.epoch(),
                record.version(),
                record.expirySeconds(),
                record.disconnectedAtMs(),
                will == null ? null : read(will),
                record.owedWills().stream().map(KeptState::read).toList());
    }

    private static KeptWill read(KeptWill kept) {
        Will will = kept.will();
        return new KeptWill(
                new Will(
                        new Topic(will.topic().bytes()),
                        will.qos(),
                        will.retain(),
                        will.payload(),
                        will.delaySeconds(),
                        will.properties()),
                kept.ingress());
    }

    // ---------------------------------------------------------------- what tests ask

    public int sessions() {
        return sessions.size();
    }

    /** That of the session that a client id has; else of one that has ended and owes a will. */
    public @Nullable SessionRecord session(ClientId clientId) {
        SessionRecord over = null;
        for (Session session : sessions.values()) {
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
        Session session = sessions.get(queueId);
        return session == null ? List.of() : session.subscriptions.values();
    }

    /** In id order. */
    public Collection<Row> rows(long queueId) {
        Queue queue = queues.get(queueId);
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
        Session session = sessions.get(queueId);
        return session == null ? List.of() : session.inbound.keySet();
    }

    public @Nullable Message retained(Topic topic) {
        return retained.get(topic);
    }

    public int retained() {
        return retained.size();
    }

    static KeptSubscription copy(Subscription s) {
        return new KeptSubscription(s.filter, s.qos, s.noLocal, s.retainAsPublished, s.ids);
    }
}
