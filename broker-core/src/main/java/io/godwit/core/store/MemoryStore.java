package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;

/**
 * The store that keeps nothing: sessions and queues live in the shards' memory alone, so every
 * commit is as durable as it will ever be the moment it is closed, and no message becomes a row.
 */
public final class MemoryStore implements Store {
    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return IdFloor.NONE;
    }

    @Override
    public void recover(Recovery to) {}

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome);
    }

    @Override
    public boolean keeps() {
        return false;
    }

    @Override
    public void endWindow() {}

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public void close() {}

    private static final class Part implements ShardStore {
        private final CommitOutcome outcome;
        private long open = 1;
        private boolean dirty;

        Part(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        @Override
        public void putSession(ClientId clientId, SessionRecord session) {
            dirty = true;
        }

        @Override
        public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void removeSubscription(long queueId, TopicFilter filter, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void putGroup(TopicFilter filter, int part, long queueId) {
            dirty = true;
        }

        @Override
        public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void append(QueuedMessage entry) {
            dirty = true;
        }

        @Override
        public void remember(Remembered ingress) {}

        @Override
        public void forget(Remembered ingress) {}

        @Override
        public void inFlight(QueuedMessage entry) {
            dirty = true;
        }

        @Override
        public void released(QueuedMessage entry) {
            dirty = true;
        }

        @Override
        public void remove(QueuedMessage entry) {
            dirty = true;
        }

        @Override
        public void removeRow(long queueId, long messageId, int server) {
            throw new IllegalStateException("this store has no rows");
        }

        @Override
        public void inFlightTo(QueuedMessage entry, Receiver to) {
            dirty = true;
        }

        @Override
        public void idleAgain(QueuedMessage entry) {
            dirty = true;
        }

        @Override
        public void putMarker(
                long queueId,
                long messageId,
                int server,
                int packetId,
                int ingressServer,
                long ingressCounter) {
            dirty = true;
        }

        @Override
        public void removeMarker(long queueId, long messageId, int server) {
            dirty = true;
        }

        @Override
        public void putInbound(Inbound inbound) {
            dirty = true;
        }

        @Override
        public void inboundTaken(Inbound inbound) {
            dirty = true;
        }

        @Override
        public void removeInbound(Inbound inbound) {
            dirty = true;
        }

        @Override
        public void reserveQueueIds(long ceiling) {
            dirty = true;
        }

        @Override
        public void putRetained(Message message, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void removeRetained(Topic topic, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void read(RowRead read) {
            throw new IllegalStateException("this store has no rows");
        }

        @Override
        public long openCommit() {
            return open;
        }

        @Override
        public boolean isDirty() {
            return dirty;
        }

        @Override
        public void commit() {
            dirty = false;
            outcome.onCommitted(open++);
        }
    }
}
