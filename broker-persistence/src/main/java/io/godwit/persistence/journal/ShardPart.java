package io.godwit.persistence.journal;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Gathers one shard's operations, without a lock: only the shard's thread calls. */
public final class ShardPart implements ShardStore {
    /** What reads are for: the other side of the store. */
    public interface Rows {
        void read(CommitOutcome outcome, RowRead read);

        void describe(long queueId, QueueState.Reader to);

        /** A row goes that its owner has not read; until then no page shows it. */
        void rowGone(long queueId, long messageId, int server);
    }

    private final CommitOutcome outcome;
    private final int shard;
    private final CommitLoop commits;
    private final Rows rows;
    private final StoreRules rules;
    private final int listOps;
    private final int serverId;
    private final QueueHandles handles;

    /** The last commit with an operation of each copy set. */
    private long[] lastCommit = new long[1];

    private OpList first;
    private OpList open;
    private long commit = 1;
    private boolean dirty;
    private int capacity = 16;
    private @Nullable Message lastMessage;

    /** Of the list that was closed last. */
    private OpList.@Nullable Waiting waiting;

    /**
     * @param listOps operations from which on a commit is several lists
     */
    public ShardPart(
            CommitOutcome outcome,
            int shard,
            CommitLoop commits,
            Rows rows,
            StoreRules rules,
            int listOps,
            int serverId,
            QueueHandles handles) {
        this.outcome = outcome;
        this.shard = shard;
        this.commits = commits;
        this.rows = rows;
        this.rules = rules;
        this.listOps = listOps;
        this.serverId = serverId;
        this.handles = handles;
        open = new OpList(outcome, shard, capacity);
        first = open;
    }

    @Override
    public void putSession(ClientId clientId, SessionRecord session) {
        handles.get(session.queueId(), handles.copySet(clientId));
        ofQueue(
                Op.SESSION,
                new Subject.SessionPut(clientId, session),
                session.queueId(),
                RecordBytes.of(session));
    }

    @Override
    public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
        ofQueue(Op.SESSION_GONE, new Subject.OfQueue(queueId, stamp), queueId, 0);
    }

    @Override
    public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
        CameBefore before = subscription.cameBefore();
        int bytes = before == null ? 0 : before.size() * SubscriptionOptions.STREAM_BYTES;
        ofQueue(
                Op.SUBSCRIPTION,
                new Subject.SubscriptionPut(
                        queueId,
                        subscription.filter,
                        subscription.qos,
                        subscription.noLocal,
                        subscription.retainAsPublished,
                        subscription.ids,
                        stamp,
                        before),
                queueId,
                subscription.filter.length() + bytes);
    }

    @Override
    public void removeSubscription(long queueId, TopicFilter filter, HybridId stamp) {
        ofQueue(
                Op.SUBSCRIPTION_GONE,
                new Subject.SubscriptionGone(queueId, filter, stamp),
                queueId,
                filter.length());
    }

    @Override
    public void putGroup(TopicFilter filter, int part, long queueId) {
        handles.get(queueId, handles.copySetOfGroups());
        ofQueue(Op.GROUP, new Subject.GroupPut(filter, part, queueId), queueId, filter.length());
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
        ofQueue(Op.GROUP_GONE, new Subject.OfQueue(queueId, stamp), queueId, 0);
    }

    @Override
    public void adopt(long queueId, Epoch epoch, Recovery to) {
        handles.get(queueId).epoch = epoch.number();
        ofQueue(Op.ADOPTED, new Subject.Adopted(queueId, epoch, to), queueId, 0);
    }

    @Override
    public void yieldTo(long queueId, Epoch leader) {
        ofQueue(Op.YIELDED, new Subject.Yielded(queueId, leader), queueId, 0);
    }

    @Override
    public void putPredecessor(long queueId, long predecessorId) {
        handles.get(predecessorId, handles.get(queueId).copySet);
        ofQueue(Op.PRECEDED_BY, new Subject.PrecededBy(queueId, predecessorId), queueId, 0);
    }

    @Override
    public void apply(int server, long start, long position, byte[] body) {
        // Before it is in the journal: there it would stop every start.
        PartDecoder in = new PartDecoder(body, 0, body.length);
        while (in.next()) {}
        Subject.ForeignPart part =
                new Subject.ForeignPart(server, start, position, body, in.format());
        local(Op.STREAM, part, body.length);
    }

    @Override
    public void append(QueuedMessage entry) {
        if (!entry.stored(QueuedMessage.FREE, QueuedMessage.OPEN)) {
            throw new IllegalStateException("appended twice: state " + entry.stored());
        }
        QueueHandle queue = entry.queue;
        if (queue == null) {
            queue = handles.get(entry.queueId);
            entry.queue = queue;
        }
        entry.server = serverId;
        Message message = entry.message;
        int bytes = 0;
        if (message != null && message != lastMessage) {
            bytes = MessageCodec.length(message);
            lastMessage = message;
        }
        toldOf(queue.copySet);
        add(Op.APPEND, entry, 0, bytes);
    }

    @Override
    public void remember(Remembered ingress) {
        ofQueue(Op.REMEMBERED, ingress, ingress.queueId, 0);
    }

    @Override
    public void forget(Remembered ingress) {
        put(Op.FORGOTTEN, ingress, 0, 0);
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        if (!isWithStore(entry) || open.fold(entry, entry.packetId)) {
            return;
        }
        add(Op.IN_FLIGHT, entry, entry.packetId, 0);
    }

    @Override
    public void released(QueuedMessage entry) {
        if (isWithStore(entry)) {
            add(Op.RELEASED, entry, entry.packetId, 0);
        }
    }

    /** One that was read back from its row has not been told of before. */
    private void known(QueuedMessage entry) {
        QueueHandle queue = entry.queue;
        if (queue == null) {
            queue = handles.get(entry.queueId);
            entry.queue = queue;
        }
        toldOf(queue.copySet);
    }

    /** Whether an entry in this state is not the store's, or is not any more. */
    private static boolean isNotKept(int stored) {
        return stored == QueuedMessage.FREE
                || stored == QueuedMessage.GONE
                || stored == QueuedMessage.CANCELLED;
    }

    private boolean isWithStore(QueuedMessage entry) {
        if (isNotKept(entry.stored())) {
            return false;
        }
        known(entry);
        return true;
    }

    @Override
    public void remove(QueuedMessage entry) {
        int stored = entry.takeBack();
        if (isNotKept(stored)) {
            return;
        }
        boolean cancels =
                stored == QueuedMessage.OPEN
                        || stored == QueuedMessage.JOURNALED
                                && !rules.holds(StoreRule.CANCEL_OPEN_ONLY)
                        || stored == QueuedMessage.ROW
                                && !rules.holds(StoreRule.REMOVALS_JOURNALED);
        if (cancels) {
            open.told++;
        } else {
            known(entry);
            add(Op.REMOVE, entry, 0, 0);
        }
    }

    @Override
    public void removeRow(long queueId, long messageId, int server) {
        rows.rowGone(queueId, messageId, server);
        ofQueue(Op.ROW_GONE, new Subject.RowGone(queueId, messageId, server), queueId, 0);
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        if (isWithStore(entry)) {
            add(Op.IN_FLIGHT_TO, new Subject.InFlightTo(entry, to), entry.packetId, 0);
        }
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        if (isWithStore(entry)) {
            add(Op.IN_FLIGHT, entry, 0, 0);
        }
    }

    @Override
    public void putMarker(
            long queueId,
            long messageId,
            int server,
            int packetId,
            int ingressServer,
            long ingressCounter) {
        ofQueue(
                Op.GOT,
                new Subject.Got(
                        queueId, messageId, server, packetId, ingressServer, ingressCounter),
                queueId,
                0);
    }

    @Override
    public void removeMarker(long queueId, long messageId, int server) {
        ofQueue(Op.GOT_GONE, new Subject.GotGone(queueId, messageId, server), queueId, 0);
    }

    @Override
    public void putInbound(Inbound inbound) {
        ofQueue(Op.INBOUND, inbound, inbound.queueId, 0);
    }

    @Override
    public void inboundTaken(Inbound inbound) {
        inbound.taken = true;
        ofQueue(Op.INBOUND_TAKEN, inbound, inbound.queueId, 0);
    }

    @Override
    public void removeInbound(Inbound inbound) {
        ofQueue(Op.INBOUND_GONE, inbound, inbound.queueId, 0);
    }

    @Override
    public void reserveQueueIds(long ceiling) {
        local(Op.QUEUE_IDS, ceiling, 0);
    }

    @Override
    public void putRetained(Message message, HybridId stamp) {
        local(Op.RETAINED, new Subject.RetainedPut(message, stamp), MessageCodec.length(message));
    }

    @Override
    public void removeRetained(Topic topic, HybridId stamp) {
        local(Op.RETAINED_GONE, new Subject.RetainedGone(topic, stamp), topic.length());
    }

    /** An operation that is no copy set's. */
    private void local(Op op, Object subject, int bytes) {
        add(op, subject, 0, bytes);
    }

    private void ofQueue(Op op, Object subject, long queueId, int bytes) {
        toldOf(handles.copySet(queueId));
        add(op, subject, 0, bytes);
    }

    private void toldOf(int copySet) {
        if (copySet >= lastCommit.length) {
            lastCommit = Arrays.copyOf(lastCommit, copySet + 8);
        }
        lastCommit[copySet] = commit;
    }

    private void add(Op op, Object subject, int packetId, int bytes) {
        dirty = true;
        put(op, subject, packetId, bytes);
    }

    /** Alone it is no reason for a commit. */
    private void put(Op op, Object subject, int packetId, int bytes) {
        if (open.isFull(listOps, bytes)) {
            OpList next = new OpList(outcome, shard, OpList.CAPACITY_MAX);
            open.next = next;
            open.commit = commit;
            open = next;
            lastMessage = null;
        }
        open.told++;
        open.add(op, subject, packetId, bytes);
    }

    @Override
    public void read(RowRead read) {
        rows.read(outcome, read);
    }

    @Override
    public long openCommit() {
        return commit;
    }

    @Override
    public long lastCommit(int copySet) {
        return copySet < lastCommit.length ? lastCommit[copySet] : 0;
    }

    @Override
    public QueueHandle handle(long queueId) {
        return handles.get(queueId);
    }

    @Override
    public int copySet(ClientId clientId) {
        return handles.copySet(clientId);
    }

    @Override
    public void describe(long queueId, QueueState.Reader to) {
        rows.describe(queueId, to);
    }

    @Override
    public boolean isDirty() {
        return dirty;
    }

    @Override
    public void commit() {
        OpList closed = first;
        // A little more than the last one had, so that a shard under load seldom copies arrays.
        capacity = Math.min(OpList.CAPACITY_MAX, Math.max(8, (capacity + closed.size()) / 2 + 1));
        open.commit = commit++;
        open = new OpList(outcome, shard, capacity);
        first = open;
        dirty = false;
        lastMessage = null;
        waiting = closed.closeBehind(waiting);
        commits.offer(closed);
    }
}
