package io.godwit.core.store;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.routing.Subscription;
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

        public final long lentBy;
        public boolean released;

        /** In the journal alone: not to be read yet. */
        boolean journaled;

        Row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                long lentBy) {
            this.messageId = messageId;
            this.qos = qos;
            this.retain = retain;
            this.ids = ids;
            this.message = message;
            this.packetId = packetId;
            this.lentBy = lentBy;
        }

        int bytes() {
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

    private record InboundId(long ingressCounter, boolean taken) {}

    private final TreeMap<Long, Session> sessions = new TreeMap<>();
    private final Map<TopicFilter, Long> groups = new LinkedHashMap<>();
    private final Map<Long, Queue> queues = new HashMap<>();
    private final Map<Topic, Message> retained = new LinkedHashMap<>();

    /** By ingress counter: who has got a QoS 2 PUBLISH that is not taken yet. */
    private final Map<Long, TreeSet<Long>> hasIt = new HashMap<>();

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
            removed.inbound.values().forEach(id -> hasIt.remove(id.ingressCounter));
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

    void putGroup(TopicFilter filter, long queueId) {
        groups.put(filter, queueId);
    }

    void removeGroup(TopicFilter filter, long queueId) {
        groups.remove(filter, queueId);
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
                new Row(entry.messageId, entry.qos, entry.retain, entry.ids, message, 0, 0));
        TreeSet<Long> has = hasIt.get(message.ingressCounter);
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

    void lent(long member, long group, long messageId, int packetId, boolean released) {
        if (!sessions.containsKey(member)) {
            return;
        }
        Row row = new Row(messageId, 2, false, new int[0], null, packetId, group);
        row.released = released;
        queue(member).rows.put(messageId, row);
    }

    void putInbound(long queueId, int packetId, long ingressCounter) {
        Session session = sessions.get(queueId);
        if (session == null) {
            throw new AssertionError("an inbound id of no session");
        }
        InboundId before = session.inbound.put(packetId, new InboundId(ingressCounter, false));
        if (before != null) {
            hasIt.remove(before.ingressCounter);
        }
        hasIt.put(ingressCounter, new TreeSet<>());
    }

    void inboundTaken(long queueId, int packetId, long ingressCounter) {
        Session session = sessions.get(queueId);
        if (session != null
                && session.inbound.replace(
                        packetId,
                        new InboundId(ingressCounter, false),
                        new InboundId(ingressCounter, true))) {
            hasIt.remove(ingressCounter);
        }
    }

    void removeInbound(long queueId, int packetId) {
        Session session = sessions.get(queueId);
        InboundId removed = session == null ? null : session.inbound.remove(packetId);
        if (removed != null) {
            hasIt.remove(removed.ingressCounter);
        }
    }

    void putRetained(Message message) {
        retained.put(message.topic, message);
        TreeSet<Long> has = hasIt.get(message.ingressCounter);
        if (has != null) {
            has.add(0L);
        }
    }

    void removeRetained(Topic topic) {
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
        groups.forEach((filter, id) -> {
            QueueDepth depth = depth(id);
            to.group(filter, depth == null ? new QueueDepth(id, 0, 0, 0, 0, 0) : depth);
        });
        sessions.forEach((queueId, session) ->
                to.session(
                        new KeptSession(
                                session.clientId,
                                read(session.record),
                                List.copyOf(session.subscriptions.values()),
                                inbound(queueId, session),
                                depth(queueId))));
        retained.values().forEach(message -> to.retained(read(message)));
    }

    private List<KeptInbound> inbound(long queueId, Session session) {
        List<KeptInbound> all = new ArrayList<>();
        session.inbound.forEach((packetId, id) -> {
            Inbound inbound = new Inbound(queueId, packetId, id.ingressCounter);
            inbound.taken = id.taken;
            TreeSet<Long> has = hasIt.get(id.ingressCounter);
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
            int[] ids = row.ids;
            boolean retain = row.retain;
            if (row.lentBy != 0 && !row.released) {
                Row lent = row(row.lentBy, row.messageId);
                if (lent == null || lent.message == null) {
                    continue; // Its group has ended.
                }
                message = lent.message;
                ids = lent.ids;
                retain = lent.retain;
            }
            messages++;
            bytes += row.bytes();
            read.row(
                    row.messageId,
                    row.qos,
                    retain,
                    ids,
                    message == null ? null : read(message),
                    row.packetId,
                    row.lentBy,
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
                null,
                message.ingressServer,
                message.ingressCounter);
    }

    private static SessionRecord read(SessionRecord record) {
        Will will = record.will();
        return new SessionRecord(
                record.queueId(),
                record.generation(),
                record.version(),
                record.expirySeconds(),
                record.disconnectedAtMs(),
                will == null ? null : read(will),
                record.owedWills().stream().map(KeptState::read).toList());
    }

    private static Will read(Will will) {
        return new Will(
                new Topic(will.topic().bytes()),
                will.qos(),
                will.retain(),
                will.payload(),
                will.delaySeconds(),
                will.properties());
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

    public @Nullable Long group(TopicFilter filter) {
        return groups.get(filter);
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
