package io.godwit.core.node;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A store whose commits end when the test says so: one by one, several at once, or by a failure.
 */
final class HeldStore implements Store {
    private record Commit(Part part, long number) {}

    private final List<Commit> outstanding = new ArrayList<>();
    private boolean holds;

    /** More waits to be written than the store wants to hold. */
    boolean isBehind;

    /** From now on commits stay outstanding. */
    void hold() {
        holds = true;
    }

    int outstanding() {
        return outstanding.size();
    }

    /** Ends all that is outstanding, each shard's commits at once, and goes on without delay. */
    void release() {
        holds = false;
        Map<Part, Long> last = new LinkedHashMap<>();
        outstanding.forEach(commit -> last.put(commit.part, commit.number));
        outstanding.clear();
        last.forEach((part, number) -> part.outcome.onCommitted(number));
    }

    /** Ends what is outstanding of one shard; what comes stays outstanding. */
    void releaseOf(int shard) {
        List<Commit> ended = outstanding.stream().filter(c -> c.part.shard == shard).toList();
        outstanding.removeAll(ended);
        if (!ended.isEmpty()) {
            Commit last = ended.getLast();
            last.part.outcome.onCommitted(last.number);
        }
    }

    /** Fails all that is outstanding, and goes on without failures. */
    void fail() {
        holds = false;
        List<Commit> failed = List.copyOf(outstanding);
        outstanding.clear();
        failed.forEach(
                commit -> commit.part.outcome.onFailed(commit.number, new IOException("test")));
    }

    @Override
    public IdFloor start(int shards, StoreListener listener) {
        return IdFloor.NONE;
    }

    @Override
    public void recover(Recovery to) {}

    @Override
    public void endWindow() {}

    @Override
    public boolean isBehind() {
        return isBehind;
    }

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(shard, outcome);
    }

    @Override
    public void close() {}

    private final class Part implements ShardStore {
        private final int shard;
        private final CommitOutcome outcome;
        private long open = 1;
        private boolean dirty;

        Part(int shard, CommitOutcome outcome) {
            this.shard = shard;
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
        public void putInbound(Inbound inbound) {
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
        public void putGroup(TopicFilter filter, int part, long queueId) {
            dirty = true;
        }

        @Override
        public void removeGroup(TopicFilter filter, long queueId, HybridId stamp) {
            dirty = true;
        }

        @Override
        public void removeRow(long queueId, long messageId, int server) {
            dirty = true;
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
        public void inboundTaken(Inbound inbound) {
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
            long number = open++;
            if (holds) {
                outstanding.add(new Commit(this, number));
            } else {
                outcome.onCommitted(number);
            }
        }
    }
}
