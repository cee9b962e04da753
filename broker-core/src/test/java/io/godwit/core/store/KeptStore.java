package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store that remembers, in memory: what a commit holds is durable when the commit ends, and
 * everything durable is a row. {@link #start} again is a restart of the broker: what was not
 * committed is gone, and nobody of the earlier start is called any more.
 */
public final class KeptStore implements Store {
    /** Of all commits, in the order in which they were closed: one journal. */
    private final ArrayDeque<Commit> closed = new ArrayDeque<>();

    private final KeptState state = new KeptState();
    private boolean holds;
    private long starts;
    private long clock;
    private long operations;
    private long cancelled;
    private @Nullable StoreListener listener;

    private record Commit(
            Part part, long number, List<Runnable> operations, List<QueuedMessage> appended) {}

    // ---------------------------------------------------------------- what a test does

    /** From now on commits stay outstanding. */
    public void hold() {
        holds = true;
    }

    public int outstanding() {
        return closed.size();
    }

    /** Ends all that is outstanding, each shard's commits at once, and goes on without delay. */
    public void release() {
        holds = false;
        end(closed.size());
    }

    /** Ends so many of the outstanding commits, in order; the others stay so. */
    public void end(int commits) {
        Map<Part, List<Commit>> done = new LinkedHashMap<>();
        for (int i = 0; i < commits && !closed.isEmpty(); i++) {
            Commit commit = closed.remove();
            commit.operations.forEach(Runnable::run);
            done.computeIfAbsent(commit.part, part -> new ArrayList<>()).add(commit);
        }
        done.forEach((part, ended) -> {
            part.outcome.onCommitted(ended.getLast().number);
            ended.forEach(commit -> toRows(part, commit));
        });
    }

    private static void toRows(Part part, Commit commit) {
        QueuedMessage[] rows =
                commit.appended.stream()
                        .filter(e -> e.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW))
                        .toArray(QueuedMessage[]::new);
        if (rows.length > 0) {
            part.outcome.onRows(rows);
        }
    }

    /** Fails all that is outstanding, and goes on without failures. */
    public void fail() {
        holds = false;
        List<Commit> failed = List.copyOf(closed);
        closed.clear();
        failed.forEach(
                commit -> commit.part.outcome.onFailed(commit.number, new IOException("test")));
    }

    public KeptState state() {
        return state;
    }

    /** Whom the running start's node listens with. */
    public StoreListener listener() {
        StoreListener running = listener;
        if (running == null) {
            throw new IllegalStateException("not started");
        }
        return running;
    }

    // ---------------------------------------------------------------- the port

    @Override
    public IdFloor start(int shards, StoreListener to) {
        closed.clear();
        holds = false;
        listener = to;
        return state.floor(++starts, clock);
    }

    @Override
    public void recover(Recovery to) {
        state.recover(to);
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome, starts);
    }

    @Override
    public void endWindow() {}

    @Override
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return switch (metric) {
            case OPERATIONS -> operations;
            case CANCELLED -> cancelled;
            case QUEUED -> state.rows();
            default -> 0;
        };
    }

    @Override
    public void close() {}

    private final class Part implements ShardStore {
        private final CommitOutcome outcome;
        private final long start;
        private List<Runnable> open = new ArrayList<>();
        private List<QueuedMessage> appended = new ArrayList<>();
        private long number = 1;

        Part(CommitOutcome outcome, long start) {
            this.outcome = outcome;
            this.start = start;
        }

        private void add(Runnable operation) {
            operations++;
            open.add(operation);
        }

        @Override
        public void putSession(ClientId clientId, SessionRecord session) {
            clock = Math.max(clock, session.stamp().clock());
            add(() -> state.putSession(clientId, session));
        }

        @Override
        public void removeSession(ClientId clientId, long queueId, HybridId stamp) {
            add(() -> state.removeSession(queueId));
        }

        @Override
        public void putSubscription(long queueId, Subscription subscription, HybridId stamp) {
            add(() -> state.putSubscription(queueId, KeptState.copy(subscription)));
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
        public void append(QueuedMessage entry) {
            Message message = entry.message;
            if (message == null || !entry.stored(QueuedMessage.FREE, QueuedMessage.OPEN)) {
                throw new AssertionError("appended in state " + entry.stored());
            }
            clock = Math.max(clock, entry.messageId);
            appended.add(entry);
            add(() -> {
                if (entry.stored(QueuedMessage.OPEN, QueuedMessage.JOURNALED)) {
                    state.append(entry, message);
                } else {
                    cancelled++;
                }
            });
        }

        @Override
        public void inFlight(QueuedMessage entry) {
            int packetId = entry.packetId;
            add(() -> state.inFlight(entry.queueId, entry.messageId, packetId));
        }

        @Override
        public void released(QueuedMessage entry) {
            add(() -> state.released(entry.queueId, entry.messageId));
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
            add(() -> state.remove(queueId, messageId));
        }

        @Override
        public void inFlightTo(QueuedMessage entry, Receiver to) {
            int packetId = entry.packetId;
            add(() -> state.inFlightTo(entry.queueId, entry.messageId, packetId, to));
        }

        @Override
        public void idleAgain(QueuedMessage entry) {
            add(() -> state.inFlight(entry.queueId, entry.messageId, 0));
        }

        @Override
        public void putMarker(
                long queueId,
                long messageId,
                int server,
                int packetId,
                int ingressServer,
                long ingressCounter) {
            add(() -> state.marker(queueId, messageId, packetId));
        }

        @Override
        public void removeMarker(long queueId, long messageId, int server) {
            add(() -> state.remove(queueId, messageId));
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
            add(() -> state.putRetained(message, stamp));
        }

        @Override
        public void removeRetained(Topic topic, HybridId stamp) {
            add(() -> state.removeRetained(topic, stamp));
        }

        @Override
        public void read(RowRead read) {
            if (start == starts) {
                state.read(read);
                outcome.onRead(read, null);
            }
        }

        @Override
        public long openCommit() {
            return number;
        }

        @Override
        public boolean isDirty() {
            return !open.isEmpty();
        }

        @Override
        public void commit() {
            Commit commit = new Commit(this, number++, open, appended);
            open = new ArrayList<>();
            appended = new ArrayList<>();
            if (start != starts) {
                return; // Of a broker that has crashed.
            }
            closed.add(commit);
            if (!holds) {
                end(closed.size());
            }
        }
    }
}
