package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.QueueIdBlock;
import io.godwit.core.id.SessionKey;
import io.godwit.core.id.ShardIds;
import io.godwit.core.load.NodeLoad;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.queue.QueuePost;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.shard.LoneShard;
import io.godwit.core.shard.ShardClock;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.QueueState;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A group, with a store that writes down what it is asked, and nobody behind the members. */
abstract class GroupFixture implements GroupEffects, ShardClock {
    /** What was asked of the store, such as {@code append 7}. */
    final List<String> operations = new ArrayList<>();

    /** Entries that were delivered, by id. */
    final Map<Long, PartEntry> entries = new HashMap<>();

    private final Map<Long, HandedOver> handedOver = new HashMap<>();

    /** Sessions that another node leads. */
    final Set<SessionRef> elsewhere = new HashSet<>();

    long nowMs = 1_000;
    private long nextQueueId = 1;
    final ShardLoad load;
    private final ShardQueues queues;

    /** Whether parts get a queue when they are to be kept. */
    boolean keeps;

    /** Collects commit waiters, for the test to run them; null: each runs at once. */
    @Nullable List<CommitWaiter> waiters;

    /** What other nodes have of it. */
    OtherNodes others = OtherNodes.NONE;

    /** What the group has said it is, one after the other. */
    final List<GroupState> states = new ArrayList<>();

    GroupFixture(int waitingMax) {
        LimitSettings limits = Limits.with(l -> l.queueMessages = waitingMax);
        QueueSettings q = QueueSettings.DEFAULTS;
        QueueSettings durable =
                new QueueSettings(
                        waitingMax,
                        q.bytes(),
                        q.policy(),
                        q.nodeMessages(),
                        q.nodeBytes(),
                        q.pageMessages());
        NodeLoad node =
                new NodeLoad(
                        MqttSettings.DEFAULTS.maximumPacketSize(),
                        limits,
                        durable,
                        OverloadSettings.DEFAULTS,
                        () -> 0,
                        new MemoryStore());
        load = new ShardLoad(node, () -> 0, () -> 0);
        queues =
                new ShardQueues(
                        this,
                        Kept::new,
                        load.queues(),
                        new ShardIds(
                                0,
                                1,
                                1,
                                () -> 0,
                                IdFloor.NONE,
                                new QueueIdBlock(IdFloor.NONE),
                                (ceiling, whenKept) -> {}),
                        new QueuePost() {
                            @Override
                            public void appendDone(QueueOwner to, QueueEntry entry, boolean ok) {
                                throw new AssertionError("no session has a queue here");
                            }

                            @Override
                            public void rowsWritten(QueueOwner to, HybridId upTo) {
                                throw new AssertionError("no session has a queue here");
                            }
                        },
                        new Counters(),
                        durable,
                        limits,
                        Rules.ALL,
                        0,
                        new LoneShard(new MemoryStore()));
    }

    SharedGroup newGroup(String filter, SharedStrategy strategy, RandomGenerator random) {
        return new SharedGroup(
                TopicFilter.of(filter), 0, strategy, random, this, queues, Rules.ALL);
    }

    /** The member has a packet id for it at QoS 2. */
    static void mark(SharedGroup group, SessionRef session, PartEntry entry, int packetId) {
        group.marked(
                session,
                entry,
                packetId,
                Receiver.ofTransient(new HybridId(session.generation(), 1)));
    }

    abstract void onDeliver(
            Subscription to, int attachment, long entryId, Message message, int qos);

    @Override
    public final @Nullable SharedGroupRef successor(SharedGroupRef group) {
        return null;
    }

    @Override
    public final Receiver receiver(SessionRef session) {
        return new Receiver(
                new SessionKey(7, new HybridId(session.generation(), 1)), session.clientId());
    }

    @Override
    public final void handOver(HandedOver given, Message message) {
        handedOver.put(given.entry().messageId, given);
        entries.put(given.entry().messageId, given.entry());
        onDeliver(given.subscription(), given.attachment(), given.entry().messageId, message, 2);
    }

    /** Holds the entries that were handed over, by message id. */
    final HandedOver handedOver(long id) {
        return Objects.requireNonNull(handedOver.get(id), "an entry that was not handed over");
    }

    @Override
    public final void ask(HandedOver each) {
        operations.add("ask for " + each.entry().messageId);
    }

    @Override
    public final void askLater(HandedOver each) {
        operations.add("ask later for " + each.entry().messageId);
    }

    @Override
    public final void over(HandedOver each) {
        operations.add("over " + each.entry().messageId);
    }

    @Override
    public final boolean isElsewhere(SessionRef session) {
        return elsewhere.contains(session);
    }

    @Override
    public final void handOver(SharedGroupRef successor, Message message, Receipt receipt) {
        throw new AssertionError("nobody has joined again");
    }

    @Override
    public final void deliver(
            Subscription to, int attachment, @Nullable PartEntry entry, Message message, int qos) {
        if (entry != null) {
            entries.put(entry.messageId, entry);
        }
        onDeliver(to, attachment, entry == null ? 0 : entry.messageId, message, qos);
    }

    /** One that was delivered. */
    final PartEntry entry(long id) {
        return Objects.requireNonNull(entries.get(id), "an entry that was not delivered");
    }

    abstract void onDiscarded(Message message, Metric cause);

    @Override
    public final void discarded(@Nullable Message message, Metric cause, int count) {
        if (message != null) {
            onDiscarded(message, cause);
        }
    }

    @Override
    public long newQueue(TopicFilter filter, int part) {
        return keeps ? nextQueueId++ : 0;
    }

    @Override
    public void removeQueue(TopicFilter filter, long queueId) {
        operations.add("queue " + queueId + " goes");
    }

    @Override
    public void setQueueAside(TopicFilter filter, int part, long queueId) {
        operations.add("queue " + queueId + " is aside");
    }

    @Override
    public void answer(Receipt waiting) {
        waiting.targetDone(true);
    }

    @Override
    public void changed(SharedGroupRef group) {
        throw new AssertionError("nobody sends mail");
    }

    @Override
    public OtherNodes otherNodes() {
        return others;
    }

    @Override
    public void stateChanged(SharedGroupRef group) {
        states.add(group.state());
    }

    @Override
    public void onPage(SharedGroupRef group) {
        ((SharedGroup) group).work(nowMs);
    }

    @Override
    public void onReadFailed(SharedGroupRef group, Throwable failure) {
        throw new AssertionError(failure);
    }

    @Override
    public long nowMs() {
        return nowMs;
    }

    @Override
    public long wallMs() {
        return nowMs;
    }

    private final class Kept implements KeptQueue {
        private final long queueId;

        Kept(long queueId) {
            this.queueId = queueId;
        }

        @Override
        public long queueId() {
            return queueId;
        }

        @Override
        public void precededBy(long predecessorId) {
            operations.add("preceded by " + predecessorId);
        }

        @Override
        public void append(QueuedMessage entry) {
            if (!entry.stored(QueuedMessage.FREE, QueuedMessage.JOURNALED)) {
                throw new AssertionError("appended twice");
            }
            operations.add("append " + entry.messageId);
        }

        @Override
        public void remember(Remembered ingress) {
            operations.add("remember " + ingress.clock);
        }

        @Override
        public void forget(Remembered ingress) {
            operations.add("forget " + ingress.clock);
        }

        @Override
        public void inFlight(QueuedMessage entry) {
            throw new AssertionError("only members give packet ids");
        }

        @Override
        public void released(QueuedMessage entry) {
            throw new AssertionError("only members have handshakes");
        }

        @Override
        public void inFlightTo(QueuedMessage entry, Receiver to) {
            operations.add("in flight " + entry.messageId + " as " + entry.packetId);
        }

        @Override
        public void idleAgain(QueuedMessage entry) {
            operations.add("idle again " + entry.messageId);
        }

        @Override
        public void remove(QueuedMessage entry) {
            entry.takeBack();
            operations.add("remove " + entry.messageId);
        }

        @Override
        public void removeRow(long messageId, int server) {
            operations.add("remove row " + messageId);
        }

        @Override
        public int copySet() {
            return 0;
        }

        @Override
        public void describe(QueueState.Reader to) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void read(RowRead page) {
            throw new AssertionError("there are no rows");
        }

        @Override
        public void whenKept(CommitWaiter waiter) {
            if (waiters == null) {
                waiter.onCommit(true);
            } else {
                waiters.add(waiter);
            }
        }
    }
}
