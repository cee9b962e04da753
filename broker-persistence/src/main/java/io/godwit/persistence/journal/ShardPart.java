package io.godwit.persistence.journal;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.persistence.StoreRules;
import io.godwit.persistence.codec.MessageCodec;
import org.jspecify.annotations.Nullable;

/** Gathers one shard's operations, without a lock: only the shard's thread calls. */
public final class ShardPart implements ShardStore {
    /** What reads are for: the other side of the store. */
    public interface Rows {
        void read(CommitOutcome outcome, RowRead read);

        /** A row goes that its owner has not read; until then no page shows it. */
        void rowGone(long queueId, long messageId);
    }

    private final CommitOutcome outcome;
    private final int shard;
    private final CommitLoop commits;
    private final Rows rows;
    private final StoreRules rules;
    private OpList first;
    private OpList open;
    private long commit = 1;
    private boolean dirty;
    private int capacity = 16;
    private @Nullable Message lastMessage;

    public ShardPart(
            CommitOutcome outcome, int shard, CommitLoop commits, Rows rows, StoreRules rules) {
        this.outcome = outcome;
        this.shard = shard;
        this.commits = commits;
        this.rows = rows;
        this.rules = rules;
        open = new OpList(outcome, shard, capacity);
        first = open;
    }

    @Override
    public void putSession(ClientId clientId, SessionRecord session) {
        add(Op.SESSION, new Subject.SessionPut(clientId, session), 0, 64);
    }

    @Override
    public void removeSession(ClientId clientId, long queueId) {
        add(Op.SESSION_GONE, new Subject.OfQueue(queueId), 0, 0);
    }

    @Override
    public void putSubscription(long queueId, Subscription subscription) {
        add(
                Op.SUBSCRIPTION,
                new Subject.SubscriptionPut(
                        queueId,
                        subscription.filter,
                        subscription.qos,
                        subscription.noLocal,
                        subscription.retainAsPublished,
                        subscription.ids),
                0,
                subscription.filter.length());
    }

    @Override
    public void removeSubscription(long queueId, TopicFilter filter) {
        add(
                Op.SUBSCRIPTION_GONE,
                new Subject.SubscriptionGone(queueId, filter),
                0,
                filter.length());
    }

    @Override
    public void putGroup(TopicFilter filter, int part, long queueId) {
        add(Op.GROUP, new Subject.GroupPut(filter, part, queueId), 0, filter.length());
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId) {
        add(Op.GROUP_GONE, new Subject.OfQueue(queueId), 0, 0);
    }

    @Override
    public void append(QueuedMessage entry) {
        if (!entry.stored(QueuedMessage.FREE, QueuedMessage.OPEN)) {
            throw new IllegalStateException("appended twice: state " + entry.stored());
        }
        Message message = entry.message;
        int bytes = 0;
        if (message != null && message != lastMessage) {
            bytes = MessageCodec.length(message);
            lastMessage = message;
        }
        add(Op.APPEND, entry, 0, bytes);
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        change(Op.IN_FLIGHT, entry);
    }

    @Override
    public void released(QueuedMessage entry) {
        change(Op.RELEASED, entry);
    }

    private void change(Op op, QueuedMessage entry) {
        int stored = entry.stored();
        if (stored != QueuedMessage.FREE && stored != QueuedMessage.GONE) {
            add(op, entry, entry.packetId, 0);
        }
    }

    @Override
    public void remove(QueuedMessage entry) {
        int stored = entry.takeBack();
        if (stored == QueuedMessage.FREE || stored == QueuedMessage.GONE) {
            return;
        }
        boolean cancels =
                stored == QueuedMessage.OPEN
                        || stored == QueuedMessage.JOURNALED && !rules.cancelOpenOnly()
                        || stored == QueuedMessage.ROW && !rules.removalsJournaled();
        if (cancels) {
            open.told++;
        } else {
            add(Op.REMOVE, entry, 0, 0);
        }
    }

    @Override
    public void removeRow(long queueId, long messageId) {
        rows.rowGone(queueId, messageId);
        add(Op.ROW_GONE, new Subject.RowGone(queueId, messageId), 0, 0);
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        int stored = entry.stored();
        if (stored != QueuedMessage.FREE && stored != QueuedMessage.GONE) {
            add(Op.IN_FLIGHT_TO, new Subject.InFlightTo(entry, to), entry.packetId, 0);
        }
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        int stored = entry.stored();
        if (stored != QueuedMessage.FREE && stored != QueuedMessage.GONE) {
            add(Op.IN_FLIGHT, entry, 0, 0);
        }
    }

    @Override
    public void putMarker(
            long queueId, long messageId, int packetId, int ingressServer, long ingressCounter) {
        add(
                Op.GOT,
                new Subject.Got(queueId, messageId, packetId, ingressServer, ingressCounter),
                0,
                0);
    }

    @Override
    public void removeMarker(long queueId, long messageId) {
        add(Op.GOT_GONE, new Subject.GotGone(queueId, messageId), 0, 0);
    }

    @Override
    public void putInbound(Inbound inbound) {
        add(Op.INBOUND, inbound, 0, 0);
    }

    @Override
    public void inboundTaken(Inbound inbound) {
        inbound.taken = true;
        add(Op.INBOUND_TAKEN, inbound, 0, 0);
    }

    @Override
    public void removeInbound(Inbound inbound) {
        add(Op.INBOUND_GONE, inbound, 0, 0);
    }

    @Override
    public void putRetained(Message message) {
        add(Op.RETAINED, message, 0, MessageCodec.length(message));
    }

    @Override
    public void removeRetained(Topic topic) {
        add(Op.RETAINED_GONE, topic, 0, topic.length());
    }

    private void add(Op op, Object subject, int packetId, int bytes) {
        dirty = true;
        if (open.isFull()) {
            OpList next = new OpList(outcome, shard, OpList.SIZE_MAX);
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
    public boolean isDirty() {
        return dirty;
    }

    @Override
    public void commit() {
        OpList closed = first;
        // A little more than the last one had, so that a shard under load seldom copies arrays.
        capacity = Math.min(OpList.SIZE_MAX, Math.max(8, (capacity + closed.size()) / 2 + 1));
        open.commit = commit++;
        open = new OpList(outcome, shard, capacity);
        first = open;
        dirty = false;
        lastMessage = null;
        commits.offer(closed);
    }
}
