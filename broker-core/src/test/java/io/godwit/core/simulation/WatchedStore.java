package io.godwit.core.simulation;

import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Any store of one start, with everything that is asked of it and told by it written down. */
final class WatchedStore implements Store {
    private final Store store;
    private final Watch watch;
    private final Set<QueuedMessage> cancelled = Collections.newSetFromMap(new IdentityHashMap<>());

    WatchedStore(Store store, Watch watch) {
        this.store = store;
        this.watch = watch;
    }

    /** One list of operations of one shard. */
    static final class Commit {
        final long number;
        final List<Runnable> operations;
        final List<Consumer<Facts>> facts;

        /** Numbers of the wills in it. */
        final List<Integer> wills;

        boolean told;

        Commit(
                long number,
                List<Runnable> operations,
                List<Consumer<Facts>> facts,
                List<Integer> wills) {
            this.number = number;
            this.operations = operations;
            this.facts = facts;
            this.wills = wills;
        }
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return store.start(shards, listener);
    }

    @Override
    public void recover(Recovery to) {
        watch.recovering();
        store.recover(
                new Recovery() {
                    @Override
                    public void group(TopicFilter filter, QueueDepth queue) {
                        watch.recovered(filter, queue);
                        to.group(filter, queue);
                    }

                    @Override
                    public void session(KeptSession session) {
                        watch.recovered(session);
                        to.session(session);
                    }

                    @Override
                    public void retained(Message message) {
                        watch.recovered(message);
                        to.retained(message);
                    }
                });
        watch.recovered();
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        Outcome watched = new Outcome(outcome);
        return new Part(store.open(shard, watched), watched);
    }

    @Override
    public boolean keeps() {
        return store.keeps();
    }

    @Override
    public void endWindow() {
        store.endWindow();
    }

    @Override
    public long windowBytes() {
        return store.windowBytes();
    }

    @Override
    public long value(StoreMetric metric) {
        return store.value(metric);
    }

    @Override
    public void close() {
        store.close();
    }

    private final class Outcome implements CommitOutcome {
        private final CommitOutcome outcome;
        private final ArrayDeque<Commit> closed = new ArrayDeque<>();

        Outcome(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        @Override
        public void onCommitted(long number) {
            Commit last = null;
            while (!closed.isEmpty() && closed.element().number <= number) {
                last = closed.remove();
            }
            if (last != null) {
                watch.committed(last);
            }
            outcome.onCommitted(number);
        }

        @Override
        public void onFailed(long number, Throwable cause) {
            outcome.onFailed(number, cause);
        }

        @Override
        public void onRows(QueuedMessage[] entries) {
            outcome.onRows(entries);
        }

        @Override
        public void onRead(RowRead read, Throwable failure) {
            WatchedRead watched = (WatchedRead) read;
            watched.asked.isLast = watched.isLast;
            outcome.onRead(watched.asked, failure);
        }
    }

    private final class WatchedRead extends RowRead {
        private final RowRead asked;

        WatchedRead(RowRead asked) {
            super(
                    asked.queueId,
                    asked.section,
                    asked.after,
                    asked.upTo,
                    asked.messagesMax,
                    asked.bytesMax);
            this.asked = asked;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                Message message,
                int packetId,
                long lentBy,
                Object note) {
            watch.rowRead(queueId, message);
            asked.row(messageId, qos, retain, ids, message, packetId, lentBy, note);
        }

        @Override
        public void onRead(Throwable failure) {
            throw new IllegalStateException("only the shard's own is told");
        }
    }

    private final class Part implements ShardStore {
        private final ShardStore part;
        private final Outcome outcome;
        private List<Runnable> operations = new ArrayList<>();
        private List<Consumer<Facts>> facts = new ArrayList<>();
        private List<Integer> wills = new ArrayList<>();

        Part(ShardStore part, Outcome outcome) {
            this.part = part;
            this.outcome = outcome;
        }

        private void add(Runnable operation) {
            operations.add(operation);
        }

        private void fact(Consumer<Facts> fact) {
            facts.add(fact);
        }

        @Override
        public void putSession(ClientId clientId, SessionRecord session) {
            watch.given(session.queueId(), clientId + " " + session.generation());
            if (session.will() != null) {
                wills.add(Payload.number(session.will().payload()));
            }
            add(() -> watch.putSession(clientId, session));
            fact(all -> all.session(clientId, session));
            part.putSession(clientId, session);
        }

        @Override
        public void removeSession(ClientId clientId, long queueId) {
            add(() -> watch.removeSession(clientId, queueId));
            fact(all -> all.remove(queueId));
            part.removeSession(clientId, queueId);
        }

        @Override
        public void putSubscription(long queueId, Subscription subscription) {
            add(() -> watch.putSubscription(queueId, subscription.filter));
            Recovery.KeptSubscription kept =
                    new Recovery.KeptSubscription(
                            subscription.filter,
                            subscription.qos,
                            subscription.noLocal,
                            subscription.retainAsPublished,
                            subscription.ids);
            fact(all -> all.subscription(queueId, kept));
            part.putSubscription(queueId, subscription);
        }

        @Override
        public void removeSubscription(long queueId, TopicFilter filter) {
            add(() -> watch.removeSubscription(queueId, filter));
            fact(all -> all.removeSubscription(queueId, filter));
            part.removeSubscription(queueId, filter);
        }

        @Override
        public void putGroup(TopicFilter filter, long queueId) {
            watch.given(queueId, filter.toString());
            fact(all -> all.group(filter, queueId));
            part.putGroup(filter, queueId);
        }

        @Override
        public void removeGroup(TopicFilter filter, long queueId) {
            fact(all -> all.remove(queueId));
            part.removeGroup(filter, queueId);
        }

        @Override
        public void append(QueuedMessage entry) {
            watch.givenMessageId(entry.queueId, entry.messageId);
            watch.given(entry.message);
            long queueId = entry.queueId;
            int number = Payload.number(entry.message.payload);
            watch.note("queue %s: message %s as %s", queueId, number, entry.messageId);
            add(() -> {
                if (!cancelled.contains(entry)) {
                    watch.appended(queueId, number);
                }
            });
            fact(all -> {
                if (!cancelled.contains(entry)) {
                    all.entry(entry);
                }
            });
            part.append(entry);
        }

        @Override
        public void inFlight(QueuedMessage entry) {
            fact(all -> all.inFlight(entry.queueId, entry.messageId));
            part.inFlight(entry);
        }

        @Override
        public void released(QueuedMessage entry) {
            fact(all -> all.inFlight(entry.queueId, entry.messageId));
            part.released(entry);
        }

        @Override
        public void remove(QueuedMessage entry) {
            watch.note("queue %s: %s goes from %s", entry.queueId, entry.messageId, entry.stored());
            if (entry.stored() == QueuedMessage.OPEN) {
                cancelled.add(entry); // It will never have been there.
            }
            fact(all -> all.removeEntry(entry.queueId, entry.messageId));
            part.remove(entry);
        }

        @Override
        public void removeRow(long queueId, long messageId) {
            watch.note("queue %s: row %s goes", queueId, messageId);
            fact(all -> all.removeEntry(queueId, messageId));
            part.removeRow(queueId, messageId);
        }

        @Override
        public void lent(
                long memberQueueId,
                long groupQueueId,
                long messageId,
                int packetId,
                boolean released) {
            watch.note(
                    "queue %s: %s of group %s in flight, released %s",
                    memberQueueId, messageId, groupQueueId, released);
            fact(all -> all.lent(memberQueueId, messageId));
            part.lent(memberQueueId, groupQueueId, messageId, packetId, released);
        }

        @Override
        public void lentEnded(long memberQueueId, long messageId) {
            watch.note("queue %s: %s of a group has ended", memberQueueId, messageId);
            fact(all -> all.removeEntry(memberQueueId, messageId));
            part.lentEnded(memberQueueId, messageId);
        }

        @Override
        public void putInbound(Inbound inbound) {
            add(() -> watch.putInbound(inbound.queueId, inbound.packetId));
            watch.note("queue %s: QoS 2 %s comes in", inbound.queueId, inbound.packetId);
            fact(all -> all.inbound(inbound, false));
            part.putInbound(inbound);
        }

        @Override
        public void inboundTaken(Inbound inbound) {
            watch.note("queue %s: QoS 2 %s is taken", inbound.queueId, inbound.packetId);
            fact(all -> all.inbound(inbound, true));
            part.inboundTaken(inbound);
        }

        @Override
        public void removeInbound(Inbound inbound) {
            add(() -> watch.removeInbound(inbound.queueId, inbound.packetId));
            watch.note("queue %s: QoS 2 %s is released", inbound.queueId, inbound.packetId);
            fact(all -> all.removeInbound(inbound));
            part.removeInbound(inbound);
        }

        @Override
        public void putRetained(Message message) {
            watch.given(message);
            fact(all -> all.retained(message));
            part.putRetained(message);
        }

        @Override
        public void removeRetained(Topic topic) {
            fact(all -> all.removeRetained(topic));
            part.removeRetained(topic);
        }

        @Override
        public void read(RowRead read) {
            part.read(new WatchedRead(read));
        }

        @Override
        public long openCommit() {
            return part.openCommit();
        }

        @Override
        public boolean isDirty() {
            return part.isDirty();
        }

        @Override
        public void commit() {
            Commit commit = new Commit(part.openCommit(), operations, facts, wills);
            operations = new ArrayList<>();
            facts = new ArrayList<>();
            wills = new ArrayList<>();
            watch.closed(commit);
            outcome.closed.add(commit);
            part.commit();
        }
    }
}
