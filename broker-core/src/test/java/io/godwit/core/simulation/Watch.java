package io.godwit.core.simulation;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the broker has asked of its stores and what it was told, through all starts: what is durable
 * by the store's own word, and which ids were given.
 */
final class Watch {
    private final SimulatedNode node;

    /** Commits of all shards that nothing was told of, in the order in which they were closed. */
    private final ArrayDeque<WatchedStore.Commit> untold = new ArrayDeque<>();

    /** Lost or not with the last crash. */
    private final ArrayDeque<WatchedStore.Commit> uncertain = new ArrayDeque<>();

    private final Facts facts = new Facts();
    private Facts found = new Facts();
    private final Map<ClientId, SessionRecord> sessions = new HashMap<>();

    /** By queue id: of sessions that have ended, and owe a will. */
    private final Map<Long, SessionRecord> over = new HashMap<>();

    private final Map<Long, Set<TopicFilter>> subscriptions = new HashMap<>();
    private final Map<Long, Set<Integer>> everAppended = new HashMap<>();

    /** By queue id, numbers of messages that groups have handed over to it. */
    private final Map<Long, Set<Integer>> everHandedOver = new HashMap<>();

    private final Map<Long, Set<Integer>> inbound = new HashMap<>();
    private final Map<Long, Set<Integer>> readBack = new HashMap<>();

    /** By number of a will: crashes at which the store may still have had it. */
    private final Map<Integer, Integer> willsAtCrashes = new HashMap<>();

    /** By message id, the queue that has it. */
    private final Map<Long, Long> messageIds = new HashMap<>();

    private final Map<IngressId, Integer> ingress = new HashMap<>();
    private final Set<Delivery> sent = new HashSet<>();

    /** The start of the broker in which it was asked last. */
    private final Map<Delivery, Integer> marked = new HashMap<>();

    private final Map<Long, String> queueIds = new HashMap<>();

    Watch(SimulatedNode node) {
        this.node = node;
    }

    private void check(boolean holds, String message, Object... of) {
        node.checker().check(holds, message, of);
    }

    void note(String format, Object... of) {
        node.note(format, of);
    }

    // ---------------------------------------------------------------- commits

    void closed(WatchedStore.Commit commit) {
        untold.add(commit);
    }

    /** This commit, and every one that was closed before it, is durable. */
    void committed(WatchedStore.Commit commit) {
        while (!untold.isEmpty() && !commit.told) {
            WatchedStore.Commit next = untold.remove();
            next.told = true;
            apply(next);
        }
    }

    private void apply(WatchedStore.Commit commit) {
        commit.operations.forEach(Runnable::run);
        commit.facts.forEach(fact -> fact.accept(facts));
    }

    /** Numbers of the wills that a record keeps. */
    static Set<Integer> willsOf(SessionRecord record) {
        Set<Integer> wills = new HashSet<>();
        if (record.will() != null) {
            wills.add(Payload.number(record.will().will().payload()));
        }
        record.owedWills().forEach(owed -> wills.add(Payload.number(owed.will().payload())));
        return wills;
    }

    /** What nothing was told of may have become durable, or not. */
    void crashed() {
        Set<Integer> wills = new HashSet<>();
        untold.forEach(commit -> wills.addAll(commit.wills));
        for (SessionRecord record : sessions.values()) {
            wills.addAll(willsOf(record));
        }
        over.values().forEach(record -> wills.addAll(willsOf(record)));
        wills.forEach(will -> willsAtCrashes.merge(will, 1, Integer::sum));
        uncertain.addAll(untold);
        untold.clear();
    }

    /** The store was closed in order: it has written everything. */
    void stopped() {
        untold.forEach(this::apply);
        untold.clear();
    }

    /** What a start has found. */
    void recovering() {
        sessions.clear();
        over.clear();
        subscriptions.clear();
        inbound.clear();
        found = new Facts();
    }

    void recovered(
            TopicFilter group,
            int part,
            QueueDepth depth,
            List<KeptInFlight> inFlight,
            List<KeptIngress> all) {
        given(depth.queueId(), group + " " + part);
        found.told(group, part, depth, inFlight, all);
        remembered(depth.queueId(), all);
    }

    void recovered(List<KeptIngress> ofRetained) {
        found.told(ofRetained);
    }

    void recovered(Message retained) {
        found.retained(retained);
    }

    /** A start has found what was durable, and of the rest the first part. */
    void recovered() {
        String difference = difference();
        String closest = difference;
        while (!difference.isEmpty() && !uncertain.isEmpty()) {
            WatchedStore.Commit commit = uncertain.remove();
            commit.facts.forEach(fact -> fact.accept(facts));
            difference = difference();
            closest = difference.length() < closest.length() ? difference : closest;
        }
        check(difference.isEmpty(), "LOST or made up at a start: %s", closest);
        uncertain.clear();
        facts.started();
    }

    private String difference() {
        facts.takeMarks(found);
        return facts.difference(found);
    }

    /** See {@link Facts#mark}. */
    void mark(Inbound of) {
        facts.mark(of);
    }

    /** See {@link Facts#removalTold}. */
    void removalTold(long queueId, long messageId) {
        facts.removalTold(queueId, messageId);
    }

    void recovered(KeptSession session) {
        found.told(session);
        long queueId = session.record().queueId();
        given(queueId, session.clientId() + " " + session.record().generation());
        putSession(session.clientId(), session.record());
        session.subscriptions().forEach(s -> putSubscription(queueId, s.filter()));
        session.inbound().forEach(each -> putInbound(queueId, each.packetId));
        remembered(queueId, session.remembered());
    }

    private void remembered(long queueId, List<KeptIngress> all) {
        for (KeptIngress each : all) {
            Integer number = ingress.get(each.ingress());
            if (number != null) {
                appended(queueId, number);
            }
        }
    }

    // ---------------------------------------------------------------- what is durable

    void putSession(ClientId clientId, SessionRecord record) {
        over.remove(record.queueId());
        if (record.isOver()) {
            forget(clientId, record.queueId());
            over.put(record.queueId(), record);
        } else {
            sessions.put(clientId, record);
        }
    }

    private void forget(ClientId clientId, long queueId) {
        SessionRecord record = sessions.get(clientId);
        if (record != null && record.queueId() == queueId) {
            sessions.remove(clientId);
        }
    }

    void removeSession(ClientId clientId, long queueId) {
        forget(clientId, queueId);
        over.remove(queueId);
        subscriptions.remove(queueId);
        inbound.remove(queueId);
    }

    void putSubscription(long queueId, TopicFilter filter) {
        subscriptions.computeIfAbsent(queueId, key -> new HashSet<>()).add(filter);
    }

    void removeSubscription(long queueId, TopicFilter filter) {
        subscriptions.getOrDefault(queueId, new HashSet<>()).remove(filter);
    }

    void appended(long queueId, int number) {
        everAppended.computeIfAbsent(queueId, key -> new HashSet<>()).add(number);
    }

    /** A group has handed a message over to the queue of a session. */
    void handedOver(long queueId, int number) {
        everHandedOver.computeIfAbsent(queueId, key -> new HashSet<>()).add(number);
    }

    boolean wasHandedOver(long queueId, int number) {
        return everHandedOver.getOrDefault(queueId, Set.of()).contains(number);
    }

    void putInbound(long queueId, int packetId) {
        inbound.computeIfAbsent(queueId, key -> new HashSet<>()).add(packetId);
    }

    void removeInbound(long queueId, int packetId) {
        inbound.getOrDefault(queueId, new HashSet<>()).remove(packetId);
    }

    boolean hasSession(ClientId clientId, long queueId) {
        SessionRecord kept = sessions.get(clientId);
        return kept != null && kept.queueId() == queueId;
    }

    /** One that a start would not end at once: its record may be left for its will alone. */
    boolean hasLivingSession(ClientId clientId, long queueId) {
        return hasSession(clientId, queueId) && sessions.get(clientId).expirySeconds() > 0;
    }

    boolean hasSubscription(long queueId, String filter) {
        return subscriptions.getOrDefault(queueId, Set.of()).contains(TopicFilter.of(filter));
    }

    boolean hasAppended(long queueId, int number) {
        return everAppended.getOrDefault(queueId, Set.of()).contains(number);
    }

    /** Whether a part that this node has of one of these groups has kept a message. */
    boolean hasAppendedToGroup(Set<String> filters, int number) {
        for (Map.Entry<Long, Set<Integer>> each : everAppended.entrySet()) {
            String to = queueIds.getOrDefault(each.getKey(), "");
            int end = to.lastIndexOf(' ');
            if (end > 0
                    && each.getValue().contains(number)
                    && filters.contains(to.substring(0, end))) {
                return true;
            }
        }
        return false;
    }

    boolean hasInbound(long queueId, int packetId) {
        return inbound.getOrDefault(queueId, Set.of()).contains(packetId);
    }

    /** How often the broker has died while the store may still have had this will. */
    int crashesWith(Published will) {
        return willsAtCrashes.getOrDefault(will.number, 0);
    }

    // ---------------------------------------------------------------- ids

    void given(Message message) {
        int number = Payload.number(message.payload);
        Integer other =
                ingress.put(new IngressId(message.ingressServer, message.ingressCounter), number);
        check(
                other == null || other == number,
                "ingress id %s of message %s was that of message %s",
                message.ingressCounter,
                number,
                other);
    }

    void given(long queueId, String to) {
        String other = queueIds.put(queueId, to);
        check(
                other == null || other.equals(to),
                "queue id %s of %s was that of %s",
                queueId,
                to,
                other);
    }

    void givenMessageId(long queueId, long messageId) {
        Long other = messageIds.put(messageId, queueId);
        // A group that is durable again takes its entries into another queue.
        check(
                other == null
                        || other != queueId && queueIds.get(other).equals(queueIds.get(queueId)),
                "message id %s was given twice",
                messageId);
    }

    // ---------------------------------------------------------------- rows

    void rowRead(long queueId, Message message) {
        node.count(Happening.ROWS_READ);
        if (message != null) {
            readBack.computeIfAbsent(queueId, key -> new HashSet<>())
                    .add(Payload.number(message.payload));
        }
    }

    void delivered(SessionView view, int number) {
        Set<Integer> read = readBack.get(view.queueId);
        if (read != null && read.remove(number)) {
            node.count(Happening.DELIVERED_FROM_ROWS);
        }
    }

    // ---------------------------------------------------------------- entries of groups

    private record Delivery(long generation, int number) {}

    /** A PUBLISH of QoS 2 has left for the session of this generation. */
    void sent(long generation, int number) {
        sent.add(new Delivery(generation, number));
    }

    /** The store was asked to keep that this session has it in flight. */
    void marked(long generation, int number) {
        marked.put(new Delivery(generation, number), node.starts());
    }

    /**
     * Whether nobody else may get it when this session ends: its PUBLISH has left, or may have left
     * before the broker died.
     */
    boolean mayHaveLeftFor(long generation, int number) {
        Delivery to = new Delivery(generation, number);
        return sent.contains(to) || marked.getOrDefault(to, Integer.MAX_VALUE) < node.starts();
    }

    /** See {@link Facts#untaken}. */
    String untaken() {
        return facts.untaken();
    }

    boolean isIdle() {
        for (Iterator<WatchedStore.Commit> it = untold.iterator(); it.hasNext(); ) {
            if (!it.next().operations.isEmpty()) {
                return false;
            }
        }
        return true;
    }
}
