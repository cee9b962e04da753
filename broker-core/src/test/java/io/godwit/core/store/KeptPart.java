package io.godwit.core.store;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import java.util.ArrayList;
import java.util.List;

/** One shard's part of a model store: gathers operations; its store decides when they count. */
public abstract class KeptPart implements ShardStore {
    /** What one commit holds. */
    public static final class Operations {
        private final List<Runnable> all = new ArrayList<>();
        private final List<Append> appends = new ArrayList<>();

        /** Operations that no commit is made for. */
        private int lazy;

        public int count() {
            return all.size();
        }

        /**
         * Is encoded now: what was taken back before is not in it.
         *
         * @return how many appends were taken back
         */
        public int encode() {
            int cancelled = 0;
            for (Append append : appends) {
                append.written = append.entry.stored(QueuedMessage.OPEN, QueuedMessage.JOURNALED);
                cancelled += append.written ? 0 : 1;
            }
            return cancelled;
        }

        /** Is durable now. */
        public void apply() {
            all.forEach(Runnable::run);
        }

        /**
         * Leaves the window.
         *
         * @return what has become rows, in order
         */
        public QueuedMessage[] toRows(KeptState state) {
            List<QueuedMessage> rows = new ArrayList<>();
            for (Append append : appends) {
                QueuedMessage entry = append.entry;
                if (append.written && entry.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW)) {
                    state.journaled(entry, false);
                    rows.add(entry);
                }
            }
            return rows.toArray(QueuedMessage[]::new);
        }
    }

    private static final class Append {
        final QueuedMessage entry;
        boolean written;

        Append(QueuedMessage entry) {
            this.entry = entry;
        }
    }

    private final KeptState state;
    private Operations open = new Operations();
    private long number = 1;

    protected KeptPart(KeptState state) {
        this.state = state;
    }

    /** The open commit was closed. */
    protected abstract void closed(long commit, Operations operations);

    private void add(Runnable operation) {
        open.all.add(operation);
    }

    @Override
    public void putSession(ClientId clientId, SessionRecord session) {
        add(() -> state.putSession(clientId, session));
    }

    @Override
    public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
        add(() -> state.removeSession(queueId));
    }

    /** Keeps nothing of it: this store knows of no copies. */
    @Override
    public void yieldTo(long queueId, Epoch leader) {
        add(() -> state.removeSession(queueId));
    }

    @Override
    public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
        Recovery.KeptSubscription kept = KeptState.copy(subscription);
        add(() -> state.putSubscription(queueId, kept));
    }

    @Override
    public void removeSubscription(long queueId, TopicFilter filter, HybridId stamp) {
        add(() -> state.removeSubscription(queueId, filter));
    }

    @Override
    public void putGroup(TopicFilter filter, int part, long queueId) {
        add(() -> state.putGroup(filter, part, queueId));
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
        add(() -> state.removeGroup(queueId));
    }

    @Override
    public void putPredecessor(long queueId, long predecessorId) {
        add(() -> state.precede(queueId, predecessorId));
    }

    @Override
    public void append(QueuedMessage entry) {
        Message message = entry.message;
        if (message == null || !entry.stored(QueuedMessage.FREE, QueuedMessage.OPEN)) {
            throw new IllegalStateException("appended in state " + entry.stored());
        }
        Append append = new Append(entry);
        open.appends.add(append);
        add(() -> {
            if (append.written) {
                state.append(entry, message);
                state.journaled(entry, true);
            }
        });
    }

    @Override
    public void remember(Remembered ingress) {
        add(() -> state.remember(ingress));
    }

    @Override
    public void forget(Remembered ingress) {
        open.all.add(() -> state.forget(ingress));
        open.lazy++;
    }

    @Override
    public void inFlight(QueuedMessage entry) {
        int packetId = entry.packetId;
        add(() -> state.inFlight(entry, packetId));
    }

    @Override
    public void released(QueuedMessage entry) {
        add(() -> state.released(entry));
    }

    @Override
    public void remove(QueuedMessage entry) {
        int before = entry.takeBack();
        if (before == QueuedMessage.JOURNALED || before == QueuedMessage.ROW) {
            removeRow(entry.queueId, entry.messageId, entry.server);
        }
    }

    @Override
    public void removeRow(long queueId, long messageId, int server) {
        add(() -> state.remove(queueId, new HybridId(messageId, server)));
    }

    @Override
    public void inFlightTo(QueuedMessage entry, Receiver to) {
        int packetId = entry.packetId;
        add(() -> state.inFlightTo(entry, packetId, to));
    }

    @Override
    public void idleAgain(QueuedMessage entry) {
        add(() -> state.inFlight(entry, 0));
    }

    @Override
    public void putMarker(
            long queueId,
            long messageId,
            int server,
            int packetId,
            int ingressServer,
            long ingressCounter) {
        add(() -> state.marker(queueId, new HybridId(messageId, server), packetId));
    }

    @Override
    public void removeMarker(long queueId, long messageId, int server) {
        add(() -> state.remove(queueId, new HybridId(messageId, server)));
    }

    @Override
    public void putInbound(Inbound inbound) {
        add(() ->
                state.putInbound(
                        inbound.queueId,
                        inbound.packetId,
                        inbound.ingressServer,
                        inbound.ingressCounter));
    }

    @Override
    public void inboundTaken(Inbound inbound) {
        inbound.taken = true;
        add(() ->
                state.inboundTaken(
                        inbound.queueId,
                        inbound.packetId,
                        inbound.ingressServer,
                        inbound.ingressCounter));
    }

    @Override
    public void removeInbound(Inbound inbound) {
        add(() -> state.removeInbound(inbound.queueId, inbound.packetId));
    }

    @Override
    public void reserveQueueIds(long ceiling) {
        add(() -> state.reserveQueueIds(ceiling));
    }

    @Override
    public void putRetained(Message message, HybridId stamp) {
        add(() -> state.retained().put(message, stamp));
    }

    @Override
    public void removeRetained(Topic topic, HybridId stamp) {
        add(() -> state.retained().remove(topic, stamp));
    }

    @Override
    public long openCommit() {
        return number;
    }

    @Override
    public boolean isDirty() {
        return open.all.size() > open.lazy;
    }

    @Override
    public void commit() {
        Operations closed = open;
        open = new Operations();
        closed(number++, closed);
    }
}
