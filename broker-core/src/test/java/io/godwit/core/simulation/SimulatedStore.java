package io.godwit.core.simulation;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.IdFloor;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A store that delays, batches and fails its commits, and knows what is durable. A commit that
 * fails leaves nothing behind.
 */
public final class SimulatedStore implements Store {
    private final Scheduler scheduler;
    private final RandomGenerator random;

    /** Commits of all shards in the order in which they were closed: one journal. */
    private final ArrayDeque<Commit> closed = new ArrayDeque<>();

    private boolean underWay;

    /** Longest time that a commit takes, microseconds; 0 = done before {@code commit} returns. */
    public int delayMicros;

    /** Of a thousand commits so many fail. */
    public int failuresPerMille;

    /** While set no outcome is told. */
    private boolean held;

    private int failures;

    private final Map<ClientId, Long> sessions = new HashMap<>();
    private final Map<Long, Map<TopicFilter, Integer>> subscriptions = new HashMap<>();
    private final Map<Long, Map<Long, Integer>> queues = new HashMap<>();
    private final Map<Long, Set<Integer>> everAppended = new HashMap<>();
    private final Map<Long, Set<Integer>> inbound = new HashMap<>();

    public SimulatedStore(Scheduler scheduler, RandomGenerator random) {
        this.scheduler = scheduler;
        this.random = random;
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
    public long windowBytes() {
        return 0;
    }

    @Override
    public long value(StoreMetric metric) {
        return 0;
    }

    @Override
    public ShardStore open(int shard, CommitOutcome outcome) {
        return new Part(outcome);
    }

    @Override
    public void close() {}

    /** Keeps every outcome back until {@link #release}. */
    public void hold() {
        held = true;
    }

    public void release() {
        held = false;
        next();
    }

    /** Lets the next commits of every shard fail, as often as one has something to write. */
    public void failing(boolean fails) {
        failuresPerMille = fails ? 1000 : 0;
    }

    public int failures() {
        return failures;
    }

    public boolean isIdle() {
        return closed.isEmpty();
    }

    // ---------------------------------------------------------------- what is durable

    boolean hasSession(ClientId clientId, long queueId) {
        Long kept = sessions.get(clientId);
        return kept != null && kept == queueId;
    }

    boolean hasSubscription(long queueId, String filter) {
        return subscriptions.getOrDefault(queueId, Map.of()).containsKey(TopicFilter.of(filter));
    }

    boolean hasAppended(long queueId, int number) {
        return everAppended.getOrDefault(queueId, Set.of()).contains(number);
    }

    boolean hasInbound(long queueId, int packetId) {
        return inbound.getOrDefault(queueId, Set.of()).contains(packetId);
    }

    /** What is left of sessions; empty when all have ended. */
    String rest() {
        queues.values().removeIf(Map::isEmpty);
        subscriptions.values().removeIf(Map::isEmpty);
        inbound.values().removeIf(Set::isEmpty);
        return sessions.isEmpty()
                        && queues.isEmpty()
                        && subscriptions.isEmpty()
                        && inbound.isEmpty()
                ? ""
                : "sessions "
                        + sessions
                        + ", queues "
                        + queues
                        + ", subscriptions "
                        + subscriptions
                        + ", inbound "
                        + inbound;
    }

    private record Commit(Part part, long number, List<Runnable> operations, boolean fails) {}

    private void next() {
        if (!underWay && !held && !closed.isEmpty()) {
            underWay = true;
            scheduler.in(
                    random.nextInt(Math.max(1, delayMicros)),
                    () -> {
                        underWay = false;
                        if (!held) {
                            settle();
                            next();
                        }
                    });
        }
    }

    /** Ends one commit, or several at once. */
    private void settle() {
        if (closed.element().fails()) {
            failures++;
            Commit failed = closed.remove();
            failed.part.outcome.onFailed(failed.number, new IOException("simulated failure"));
            return;
        }
        Map<Part, Long> done = new LinkedHashMap<>();
        int batch = 1 + random.nextInt(4);
        while (batch-- > 0 && !closed.isEmpty() && !closed.element().fails()) {
            Commit commit = closed.remove();
            commit.operations.forEach(Runnable::run);
            done.put(commit.part, commit.number);
        }
        done.forEach((part, number) -> part.outcome.onCommitted(number));
    }

    private final class Part implements ShardStore {
        private final CommitOutcome outcome;
        private List<Runnable> operations = new ArrayList<>();
        private long open = 1;

        Part(CommitOutcome outcome) {
            this.outcome = outcome;
        }

        @Override
        public void putSession(ClientId clientId, SessionRecord session) {
            operations.add(() -> sessions.put(clientId, session.queueId()));
        }

        @Override
        public void removeSession(ClientId clientId, long queueId) {
            operations.add(() -> {
                sessions.remove(clientId, queueId);
                subscriptions.remove(queueId);
                queues.remove(queueId);
                inbound.remove(queueId);
            });
        }

        @Override
        public void putSubscription(long queueId, Subscription subscription) {
            operations.add(() ->
                    subscriptions
                            .computeIfAbsent(queueId, key -> new HashMap<>())
                            .put(subscription.filter, (int) subscription.qos));
        }

        @Override
        public void removeSubscription(long queueId, TopicFilter filter) {
            operations.add(() -> {
                Map<TopicFilter, Integer> kept = subscriptions.get(queueId);
                if (kept != null) {
                    kept.remove(filter);
                }
            });
        }

        @Override
        public void append(QueuedMessage entry) {
            long queueId = entry.queueId;
            long messageId = entry.messageId;
            int number = Payload.number(entry.message.payload);
            operations.add(() -> {
                queues.computeIfAbsent(queueId, key -> new HashMap<>()).put(messageId, number);
                everAppended.computeIfAbsent(queueId, key -> new HashSet<>()).add(number);
            });
        }

        @Override
        public void inFlight(QueuedMessage entry) {
            operations.add(() -> {});
        }

        @Override
        public void released(QueuedMessage entry) {
            operations.add(() -> {});
        }

        @Override
        public void remove(QueuedMessage entry) {
            operations.add(() -> {
                Map<Long, Integer> queue = queues.get(entry.queueId);
                if (queue != null) {
                    queue.remove(entry.messageId);
                }
            });
        }

        @Override
        public void putInbound(Inbound inbound) {
            operations.add(() ->
                    SimulatedStore.this
                            .inbound
                            .computeIfAbsent(inbound.queueId, key -> new HashSet<>())
                            .add(inbound.packetId));
        }

        @Override
        public void removeInbound(Inbound inbound) {
            operations.add(() -> {
                Set<Integer> ids = SimulatedStore.this.inbound.get(inbound.queueId);
                if (ids != null) {
                    ids.remove(inbound.packetId);
                }
            });
        }

        @Override
        public void putRetained(Message message) {
            operations.add(() -> {});
        }

        @Override
        public void removeRetained(Topic topic) {
            operations.add(() -> {});
        }

        @Override
        public void putGroup(TopicFilter filter, long queueId) {
            operations.add(() -> {});
        }

        @Override
        public void removeGroup(TopicFilter filter, long queueId) {
            operations.add(() -> queues.remove(queueId));
        }

        @Override
        public void removeRow(long queueId, long messageId) {
            operations.add(() -> {});
        }

        @Override
        public void lent(
                long memberQueueId,
                long groupQueueId,
                long messageId,
                int packetId,
                boolean released) {
            operations.add(() -> {});
        }

        @Override
        public void lentEnded(long memberQueueId, long messageId) {
            operations.add(() -> {});
        }

        @Override
        public void inboundTaken(Inbound inbound) {
            operations.add(() -> {});
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
            return !operations.isEmpty();
        }

        @Override
        public void commit() {
            boolean fails = failuresPerMille > 0 && random.nextInt(1000) < failuresPerMille;
            boolean atOnce = delayMicros == 0 && !held && closed.isEmpty() && !fails;
            closed.add(new Commit(this, open++, operations, fails));
            operations = new ArrayList<>();
            if (atOnce) {
                settle();
            } else {
                next();
            }
        }
    }
}
