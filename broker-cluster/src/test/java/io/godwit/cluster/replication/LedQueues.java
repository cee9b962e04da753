package io.godwit.cluster.replication;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Does with the queues that one start of a node leads what core does with sessions, at random, and
 * notes what was acknowledged.
 */
final class LedQueues {
    private static final int SESSIONS = 10;
    private static final String[] FILTERS = {"a", "a/#", "b/+", "c"};

    private final StoreNode node;
    private final StoreNode.Process process;
    private final SplittableRandom random;
    private final List<Session> sessions = new ArrayList<>();

    /** Sessions that become copies, until that is on the disk. */
    private final Set<Session> yielding = new HashSet<>();

    private long ingress;

    /** Waiters that were not told yet. */
    int waiting;

    LedQueues(StoreNode node, StoreNode.Process process, long startNumber) {
        this.node = node;
        this.process = process;
        random = node.cluster.random;
        ingress = IngressId.counter(startNumber, 0);
    }

    /** An entry of a queue. */
    private static final class Entry extends QueuedMessage {
        boolean isAcknowledged;
        boolean isSent;
        boolean isGone;

        Entry(long queueId, long messageId, @Nullable Message message, int qos) {
            super(queueId, messageId, message, qos, false, new int[0]);
        }
    }

    /** A session with its queue. */
    private static final class Session {
        final ClientId clientId;
        final long queueId;
        final int copySet;
        final int shard;
        final HybridId generation;
        final Promises promises;
        final List<Entry> entries = new ArrayList<>();
        final List<Remembered> remembered = new ArrayList<>();
        final Map<Integer, Inbound> inbound = new HashMap<>();

        /** Pages of a start that were not read yet. */
        int pages;

        /** Another node leads it: this one has closed the connections of its clients. */
        boolean isYielded;

        Session(ClientId clientId, HybridId generation, Promises promises) {
            this.clientId = clientId;
            this.queueId = promises.queueId;
            this.copySet = promises.copySet;
            this.shard = (int) (queueId % StoreNode.SHARDS);
            this.generation = generation;
            this.promises = promises;
        }
    }

    // ---------------------------------------------------------------- a start

    void recovered(Recovery.KeptSession kept) {
        add(kept);
    }

    /** Takes a session whose queue was adopted. */
    void adopted(Recovery.KeptSession kept) {
        read(add(kept));
    }

    /** Makes sessions copies that another node leads now: nobody waits for them any more. */
    void yieldOlder() {
        for (Session each : List.copyOf(sessions)) {
            StoreTable.Row row = node.table.row(each.clientId.slot());
            if (row.server() != node.server) {
                sessions.remove(each);
                each.isYielded = true;
                yielding.add(each);
                node.cluster.count("sessions yielded");
                on(each, () -> yieldTo(each, row));
            }
        }
    }

    private void yieldTo(Session session, StoreTable.Row row) {
        Epoch leader = new Epoch(Epoch.number(row.takeovers(), 1 << 17), row.server());
        store(session).yieldTo(session.queueId, leader);
        process.shard(session.shard)
                .afterCommitHere(isKept -> process.onOwner(() -> yielding.remove(session)));
    }

    /** Returns the slots with sessions that are not copies yet. */
    BitSet older() {
        BitSet slots = new BitSet();
        yielding.forEach(each -> slots.set(each.clientId.slot()));
        return slots;
    }

    /** Whether a queue is that of a session here: others are copies. */
    boolean has(long queueId) {
        return sessions.stream().anyMatch(each -> each.queueId == queueId);
    }

    /** Checks that all sessions are there that were acknowledged. */
    void checkSessions() {
        List<Long> there = sessions.stream().map(each -> each.queueId).toList();
        for (Promises each : node.promises.values()) {
            require(
                    each.session == null || there.contains(each.queueId) || !isServed(each.queueId),
                    each,
                    "session is lost");
        }
    }

    /** Whether this node leads the slot of a queue, and has loaded it. */
    private boolean isServed(long queueId) {
        StoreSuccession takeOvers = process.succession;
        if (takeOvers == null) {
            return true;
        }
        int slot = Objects.requireNonNull(node.cluster.clientIds.get(queueId)).slot();
        return !takeOvers.isLoading(slot) && node.table.row(slot).server() == node.server;
    }

    private Session add(Recovery.KeptSession kept) {
        long queueId = kept.record().queueId();
        Promises promises =
                node.promises.computeIfAbsent(
                        queueId, any -> new Promises(queueId, CopySets.of(kept.clientId())));
        Session session = new Session(kept.clientId(), kept.record().generation(), promises);
        kept.inbound().forEach(each -> session.inbound.put(each.packetId, each));
        sessions.add(session);
        session.pages = 2;
        return session;
    }

    /** Reads what is in the queues, and goes to work. */
    void begin() {
        checkSessions();
        if (process.succession != null) {
            yieldOlder();
        }
        sessions.forEach(this::read);
    }

    private void read(Session session) {
        on(
                session,
                () -> {
                    for (RowRead.Section section : RowRead.Section.values()) {
                        store(session).read(new Page(session, section));
                    }
                });
    }

    private final class Page extends RowRead {
        private final Session session;
        private final List<Entry> read = new ArrayList<>();

        Page(Session session, Section section) {
            super(
                    session.queueId,
                    section,
                    HybridId.NONE,
                    HybridId.MAX,
                    Integer.MAX_VALUE,
                    Long.MAX_VALUE);
            this.session = session;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {
            Entry entry = new Entry(queueId, messageId, message, qos);
            entry.packetId = packetId;
            entry.note = note;
            entry.server = server;
            entry.ingress(ingressServer, ingressCounter);
            entry.stored(QueuedMessage.FREE, QueuedMessage.ROW);
            entry.isAcknowledged = true;
            entry.isSent = packetId != 0;
            read.add(entry);
        }

        @Override
        public void marker(long messageId, int packetId) {
            throw new IllegalStateException("nobody has a group");
        }

        @Override
        public void onRead(@Nullable Throwable failure) {
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
            session.entries.addAll(read);
            if (--session.pages == 0) {
                List<Long> there = session.entries.stream().map(each -> each.messageId).toList();
                session.promises
                        .entries
                        .keySet()
                        .forEach(id ->
                                require(there.contains(id), session.promises, id + " is lost"));
                session.promises.removed.forEach(
                        id -> require(!there.contains(id), session.promises, id + " is back"));
            }
        }
    }

    private static void require(boolean holds, Promises of, String what) {
        if (!holds) {
            throw new IllegalStateException("queue %x: %s".formatted(of.queueId, what));
        }
    }

    // ---------------------------------------------------------------- work

    /** Does one thing to one session. */
    void step() {
        if (sessions.size() < SESSIONS && random.nextInt(3) == 0) {
            create();
            return;
        }
        if (sessions.isEmpty()) {
            return;
        }
        Session session = sessions.get(random.nextInt(sessions.size()));
        if (session.pages > 0 || !process.actsFor(session.clientId.slot())) {
            return;
        }
        int action = node.isEndless ? 1 + random.nextInt(99) : random.nextInt(100);
        if (action == 0) {
            sessions.remove(session);
        }
        on(
                session,
                () -> {
                    if (action == 0) {
                        end(session);
                    } else if (action < 40) {
                        append(session);
                    } else if (action < 55) {
                        change(session);
                    } else if (action < 75) {
                        remove(session);
                    } else if (action < 82) {
                        subscribe(session);
                    } else if (action < 92) {
                        inbound(session);
                    } else if (action < 96) {
                        forget(session);
                    } else {
                        store(session).putSession(session.clientId, record(session));
                    }
                });
    }

    private ShardStore store(Session session) {
        return process.shard(session.shard).store();
    }

    private void on(Session session, Runnable task) {
        process.shard(session.shard)
                .execute(() -> {
                    process.shard(session.shard).enter();
                    task.run();
                });
    }

    /** Takes what was acknowledged. */
    private interface Acknowledged {
        /**
         * @param isCopied whether no node has lost its disk since it was asked for: what such a
         *     node had confirmed is at one node less
         */
        void onAcknowledged(boolean isCopied);
    }

    /** Waits as an acknowledgement to a client of the session does. */
    private void whenAcknowledged(Session session, Acknowledged then) {
        waiting++;
        int disksLost = node.cluster.disksLost;
        CommitWaiter waiter =
                isKept -> {
                    waiting--;
                    if (!isKept) {
                        throw new IllegalStateException("a commit has failed");
                    }
                    int leader = node.table.row(session.clientId.slot()).server();
                    if (session.isYielded || node.cluster.takesOver && leader != node.server) {
                        return; // The connection was closed, also that of a session that ends.
                    }
                    boolean isCopied = disksLost == node.cluster.disksLost;
                    then.onAcknowledged(isCopied && !node.cluster.isTakingOver);
                    node.cluster.acknowledged();
                };
        process.shard(session.shard).afterCommit(session.copySet, waiter);
    }

    /** Whether another node has taken the session over, and this one does not know yet. */
    private boolean isLate(Session session) {
        return node.cluster.takesOver
                && node.cluster.leaderOf(session.clientId.slot()) != node.server;
    }

    private interface Has {
        boolean test(DiskContents taken);
    }

    /** What is acknowledged after a take-over has to be in what was taken over. */
    private void requireAtSuccessor(Session session, Has has, Object what) {
        node.cluster.count("acknowledged late");
        DiskContents taken = session.promises.takenOver;
        require(
                taken != null && has.test(taken) || session.promises.isEnded(),
                session.promises,
                what + " was acknowledged, and is not at the new leader");
    }

    private long next(Session session) {
        return process.shard(session.shard).ids.next(node.cluster.scheduler.wallMs());
    }

    private HybridId stamp(Session session) {
        return new HybridId(next(session), node.server);
    }

    private void create() {
        ClientId clientId = newClient();
        if (clientId == null) {
            return;
        }
        long queueId = QueueId.of(node.server, node.queues);
        node.cluster.clientIds.put(queueId, clientId);
        Promises promises = new Promises(queueId, CopySets.of(clientId));
        node.promises.put(queueId, promises);
        long clock =
                process.shard((int) (queueId % StoreNode.SHARDS))
                        .ids
                        .next(node.cluster.scheduler.wallMs());
        Session session = new Session(clientId, new HybridId(clock, node.server), promises);
        sessions.add(session);
        on(
                session,
                () -> {
                    store(session).putSession(clientId, record(session));
                    whenAcknowledged(
                            session,
                            isCopied -> {
                                if (isLate(session)) {
                                    requireAtSuccessor(
                                            session, taken -> taken.hasSession(queueId), "session");
                                    return;
                                }
                                promises.session = promises.isEnded() ? null : isCopied;
                            });
                });
    }

    /** Returns a new client id of a slot that this node acts for; null: it does for none. */
    private @Nullable ClientId newClient() {
        for (int i = 0; i < 100; i++) {
            ClientId clientId = ClientId.of("c" + node.server + "-" + ++node.queues);
            if (process.actsFor(clientId.slot())) {
                return clientId;
            }
        }
        return null;
    }

    private SessionRecord record(Session session) {
        return new SessionRecord(
                session.queueId,
                session.generation,
                stamp(session),
                new Epoch(Epoch.number(0, 1), node.server),
                ProtocolVersion.MQTT_5,
                3_600,
                random.nextInt(2) * 17L,
                null,
                List.of());
    }

    private void end(Session session) {
        session.promises.end();
        node.lost.remove(session.queueId);
        store(session).removeSession(session.clientId, session.queueId, stamp(session));
        whenAcknowledged(
                session,
                isCopied -> {
                    DiskContents taken = session.promises.takenOver;
                    require(
                            !isLate(session) || taken == null || !taken.hasSession(session.queueId),
                            session.promises,
                            "its end was acknowledged, and it is at the new leader");
                    node.promises.remove(session.queueId);
                });
    }

    private void append(Session session) {
        int qos = 1 + random.nextInt(2);
        byte[] payload = new byte[random.nextInt(20) == 0 ? 6_000 : random.nextInt(300)];
        Message message =
                new Message(
                        Topic.of("t"),
                        payload,
                        PublishFrame.NO_PROPERTIES,
                        qos,
                        false,
                        Message.NEVER,
                        null,
                        node.server,
                        ++ingress);
        Entry entry = new Entry(session.queueId, next(session), message, qos);
        session.entries.add(entry);
        store(session).append(entry);
        if (qos == 2) {
            Remembered remembered =
                    new Remembered(
                            entry.queueId, entry.messageId, node.server, node.server, ingress);
            session.remembered.add(remembered);
            store(session).remember(remembered);
        }
        whenAcknowledged(
                session,
                isCopied -> {
                    entry.isAcknowledged = true;
                    if (isLate(session)) {
                        requireAtSuccessor(
                                session,
                                taken ->
                                        entry.isGone
                                                || taken.hasEntry(entry.queueId, entry.messageId),
                                entry.messageId);
                        return;
                    }
                    if (!entry.isGone && !session.promises.isEnded()) {
                        session.promises.entries.put(entry.messageId, isCopied);
                    }
                });
    }

    private @Nullable Entry any(Session session) {
        return session.entries.isEmpty()
                ? null
                : session.entries.get(random.nextInt(session.entries.size()));
    }

    private void change(Session session) {
        Entry entry = any(session);
        if (entry == null || entry.message == null || !entry.isAcknowledged) {
            return;
        }
        if (entry.packetId == 0) {
            entry.packetId = 1 + random.nextInt(1_000);
            store(session).inFlight(entry);
            whenAcknowledged(session, isCopied -> entry.isSent = true);
        } else if (entry.qos == 2 && entry.isSent) {
            entry.dropMessage();
            store(session).released(entry);
            session.promises.released.add(entry.messageId);
        }
    }

    private void remove(Session session) {
        Entry entry = any(session);
        if (entry == null) {
            return;
        }
        entry.isGone = true;
        session.entries.remove(entry);
        session.promises.entries.remove(entry.messageId);
        store(session).remove(entry);
        whenAcknowledged(
                session,
                isCopied -> {
                    if (isLate(session)) {
                        requireAtSuccessor(
                                session,
                                taken -> !taken.hasEntry(entry.queueId, entry.messageId),
                                "removal of " + entry.messageId);
                        return;
                    }
                    if (!session.promises.isEnded()) {
                        session.promises.removed.add(entry.messageId);
                    }
                });
    }

    @SuppressWarnings("NullAway") // the store never looks at the session
    private void subscribe(Session session) {
        SessionRef nobody = null;
        String name = FILTERS[random.nextInt(FILTERS.length)];
        TopicFilter filter = TopicFilter.of(name);
        Promises promises = session.promises;
        int version = ++session.promises.versions;
        promises.subscribed.put(name, version);
        if (random.nextInt(3) == 0) {
            promises.subscriptions.remove(name);
            store(session).removeSubscription(session.queueId, filter, stamp(session));
            return;
        }
        store(session)
                .putSubscription(
                        session.queueId,
                        new Subscription(
                                nobody,
                                filter,
                                1 + random.nextInt(2),
                                random.nextBoolean(),
                                random.nextBoolean(),
                                new int[0]),
                        stamp(session));
        whenAcknowledged(
                session,
                isCopied -> {
                    if (isLate(session)) {
                        return;
                    }
                    if (promises.subscribed.get(name) == version && !promises.isEnded()) {
                        promises.subscriptions.put(name, isCopied);
                    }
                });
    }

    private void inbound(Session session) {
        int packetId = 1 + random.nextInt(5);
        Inbound known = session.inbound.get(packetId);
        if (known == null) {
            known = new Inbound(session.queueId, packetId, node.server, ++ingress);
            session.inbound.put(packetId, known);
            store(session).putInbound(known);
        } else if (!known.taken && random.nextBoolean()) {
            store(session).inboundTaken(known);
        } else {
            store(session).removeInbound(known);
            session.inbound.remove(packetId);
        }
    }

    private void forget(Session session) {
        if (!session.remembered.isEmpty()) {
            store(session)
                    .forget(session.remembered.remove(random.nextInt(session.remembered.size())));
        }
    }
}
