package io.godwit.core.store;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;

/**
 * The store that keeps nothing: sessions and queues live in the shards' memory alone, so every
 * commit is as durable as it will ever be the moment it is closed.
 */
public final class MemoryStore implements Store {
    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome);
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
        public void removeSession(ClientId clientId, long queueId) {
            dirty = true;
        }

        @Override
        public void putSubscription(long queueId, Subscription subscription) {
            dirty = true;
        }

        @Override
        public void removeSubscription(long queueId, TopicFilter filter) {
            dirty = true;
        }

        @Override
        public void append(long queueId, long messageId, int qos, Message message) {
            dirty = true;
        }

        @Override
        public void inFlight(long queueId, long messageId, int packetId) {
            dirty = true;
        }

        @Override
        public void released(long queueId, long messageId, int packetId) {
            dirty = true;
        }

        @Override
        public void remove(long queueId, long messageId) {
            dirty = true;
        }

        @Override
        public void putInbound(long queueId, int packetId, long ingressCounter) {
            dirty = true;
        }

        @Override
        public void removeInbound(long queueId, int packetId) {
            dirty = true;
        }

        @Override
        public void putRetained(Message message) {
            dirty = true;
        }

        @Override
        public void removeRetained(Topic topic) {
            dirty = true;
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
