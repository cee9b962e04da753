package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.group.GroupEffects;
import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.group.HandedOver;
import io.godwit.core.group.OtherNodes;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.ShardIds;
import io.godwit.core.load.GroupedLine;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.SharedRouting;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared-subscription groups that one shard owns, and what they want done. */
public final class OwnedGroups implements GroupEffects {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedGroups.class);

    /** After so long a page that could not be read is asked for again. */
    private static final long RETRY_MS = 1_000;

    /** How often it is looked whether what is in flight was read. */
    private static final long READING_MS = 100;

    private final Shard shard;
    private final ShardIds ids;
    private final ShardQueues queues;
    private final MqttSettings mqtt;
    private final RandomGenerator random;
    private final GroupedLine readFailures =
            new GroupedLine(LOG, "Rows of the queue of {} could not be read{}");
    private final Set<SharedGroup> groups = new LinkedHashSet<>();

    /** Those of them that have members; beside one there may be others that all have left. */
    private final Map<TopicFilter, SharedGroup> living = new HashMap<>();

    /** Groups with a page that could not be read: no member's connection ends for it. */
    private final Set<SharedGroup> unread = new LinkedHashSet<>();

    private final Timer readAgain =
            new Timer() {
                @Override
                protected void onTimer(long nowMs) {
                    List<SharedGroup> due = List.copyOf(unread);
                    unread.clear();
                    for (SharedGroup each : due) {
                        if (groups.contains(each)) {
                            onPage(each);
                        }
                    }
                }
            };

    private OtherNodes otherNodes = OtherNodes.NONE;

    /** Set before anything else is called. */
    private @Nullable HandOverQuestions questions;

    /** Hand-overs of which nobody could say what has become of them. */
    private final List<HandedOver> asking = new ArrayList<>(0);

    private final Timer askAgain = Timer.of(nowMs -> askAll());

    /** Whether some group has had queues that this node has adopted; any thread asks. */
    private volatile boolean hasAdopted;

    /** Null where there is no other node. */
    private @Nullable TopicIndex index;

    /** The groups that work in slices now. */
    private final Set<SharedGroup> working = new HashSet<>();

    public OwnedGroups(
            Shard shard,
            ShardIds ids,
            ShardQueues queues,
            MqttSettings mqtt,
            RandomGenerator random) {
        this.shard = shard;
        this.ids = ids;
        this.queues = queues;
        this.mqtt = mqtt;
        this.random = random;
    }

    /** Called before anything else: other nodes may have members of the same groups. */
    public void spread(TopicIndex of, SharedRouting routing) {
        index = of;
        otherNodes =
                new OtherNodes() {
                    @Override
                    public boolean haveMembers(TopicFilter filter, boolean mayWait) {
                        return routing.isElsewhere(filter, mayWait);
                    }

                    @Override
                    public boolean areKnown() {
                        return routing.knowsAll();
                    }

                    @Override
                    public boolean mayTake(TopicFilter filter, boolean mayWait) {
                        return routing.isHeardElsewhere(filter, mayWait);
                    }

                    @Override
                    public boolean mayTake(TopicFilter filter, Message message) {
                        return routing.isTakenElsewhere(filter, message);
                    }

                    @Override
                    public boolean passOn(
                            TopicFilter filter, Message message, @Nullable Receipt receipt) {
                        return routing.passOn(filter, message, receipt);
                    }

                    @Override
                    public @Nullable NodeRef takerOf(
                            TopicFilter filter, boolean mayWait, Message message) {
                        return routing.takerOf(filter, mayWait, message);
                    }

                    @Override
                    public void passOnWaiting(
                            NodeRef to, TopicFilter filter, PartEntry entry, Receipt receipt) {
                        Message message = entry.content();
                        if (message.qos == 2) {
                            message = message.as(ids.passedOn(entry.id()));
                        }
                        if (to.server() == ids.server()) {
                            routing.passOnHere(filter, message, receipt);
                        } else {
                            routing.passOnWaiting(to, filter, message, receipt);
                        }
                        receipt.release(shard); // Nobody sends it again once it is there.
                    }

                    @Override
                    public void passOnAgain(
                            NodeRef to, TopicFilter filter, Message message, Receipt receipt) {
                        routing.passOnWaiting(to, filter, message, receipt);
                    }
                };
    }

    /** Called before anything else: who is asked about sessions. */
    public void questions(HandOverQuestions of) {
        questions = of;
    }

    /** Makes a group; called by the topic index's thread, so it touches nothing that changes. */
    public SharedGroup create(TopicFilter filter) {
        SharedGroup group =
                new SharedGroup(
                        filter,
                        shard.index(),
                        mqtt.sharedStrategy(),
                        random,
                        this,
                        queues,
                        shard.rules());
        group.awaitsFirstMember();
        return group;
    }

    @Override
    public void changed(SharedGroupRef ref) {
        SharedGroup group = (SharedGroup) ref;
        if (group.recovery().isAdopted() && !hasAdopted) {
            hasAdopted = true;
        }
        if (group.isEmpty()) {
            living.remove(group.filter(), group);
        } else {
            living.put(group.filter(), group);
        }
        if (group.isOver()) {
            groups.remove(group);
            return;
        }
        groups.add(group);
        if (group.needsWork() && working.add(group)) {
            shard.slice(() -> {
                group.work(shard.sureMs());
                boolean done = !group.needsWork();
                if (done) {
                    working.remove(group);
                    changed(group);
                }
                return done;
            });
        }
    }

    /**
     * Drops messages that have expired, and has those wait who publish to what holds much.
     *
     * @param mayHold bytes in memory that a group may hold; none has to wait for less
     * @return bytes that wait, in memory or on disk
     */
    public long onTick(long mayHold) {
        long bytes = 0;
        for (SharedGroup group : groups) {
            group.expire();
            group.full(group.memoryBytes() > mayHold);
            bytes += group.waitingBytes();
            if (index != null && group.passing().mayBeWanted()) {
                shard.slice(() -> {
                    onPage(group);
                    return true;
                });
            }
        }
        return bytes;
    }

    /** Messages that other nodes are to have and do not have yet. */
    public long leftToPassOn() {
        return groups.stream().mapToLong(each -> each.passing().left()).sum();
    }

    public void forEach(Consumer<SharedGroup> each) {
        groups.forEach(each);
    }

    @Override
    public void deliver(
            Subscription member,
            int attachment,
            @Nullable PartEntry entry,
            Message message,
            int qos) {
        shard.send(
                member.session.owner(),
                new GroupMail.Deliver(message, member, qos, entry, attachment));
    }

    @Override
    public Receiver receiver(SessionRef session) {
        return new Receiver(((Session) session).key(), session.clientId());
    }

    @Override
    public void handOver(HandedOver given, Message message) {
        Message own = message.as(ids.passedOn(given.entry().id()));
        shard.send(given.subscription().session.owner(), new GroupMail.HandOver(given, own));
    }

    @Override
    public boolean isElsewhere(SessionRef session) {
        return ((Session) session).isElsewhere();
    }

    @Override
    public void ask(HandedOver each) {
        SharedGroup group = SharedGroup.of(each.entry());
        Objects.requireNonNull(questions)
                .ask(
                        group.filter(),
                        each.to(),
                        ids.passedOn(each.entry().id()),
                        (answer, session) ->
                                shard.execute(() -> answered(group, each, answer, session)));
    }

    @Override
    public void askLater(HandedOver each) {
        asking.add(each);
        if (asking.size() == 1) {
            shard.timers().arm(askAgain, shard.nowMs() + RETRY_MS);
        }
    }

    private void askAll() {
        List<HandedOver> all = List.copyOf(asking);
        asking.clear();
        all.forEach(this::ask);
    }

    private void answered(
            SharedGroup group, HandedOver each, HandOverAnswer answer, @Nullable Session session) {
        group.answered(each, answer, session, shard.sureMs());
        changed(group);
    }

    @Override
    public void over(HandedOver each) {
        IngressId id = ids.passedOn(each.entry().id());
        SessionRef session = each.session();
        if (session != null) {
            ((Session) session).forget(shard, id.server(), id.counter());
        }
        if (each.entry().isKnownElsewhere) {
            Objects.requireNonNull(questions).over(shard, id);
        }
    }

    /**
     * Takes out the ids of what groups here are handing over, since these are not over.
     *
     * @param left ids of publishes
     */
    public void keepHandedOver(Set<IngressId> left) {
        groups.forEach(each -> each.handedOver(id -> left.remove(ids.passedOn(id))));
    }

    @Override
    public long newQueue(TopicFilter filter, int part) {
        long queueId = ids.nextQueueId();
        if (queueId != 0) {
            shard.store().putGroup(filter, part, queueId);
        }
        return queueId;
    }

    @Override
    public void removeQueue(TopicFilter filter, long queueId) {
        shard.store().removeGroup(filter, queueId, ids.stamp());
    }

    @Override
    public void setQueueAside(TopicFilter filter, int part, long queueId) {
        shard.store().putGroup(filter, part | Recovery.GROUP_ASIDE, queueId);
    }

    /**
     * Gives up the queues of all groups, of which another node has adopted its copies.
     *
     * @param then run when that is on this node's disk
     */
    public void giveUpQueues(NodeRef taker, Runnable then) {
        if (groups.stream().anyMatch(each -> !each.isInFlightRead())) {
            Timer again = Timer.of(nowMs -> giveUpQueues(taker, then));
            shard.timers().arm(again, shard.nowMs() + READING_MS);
            return;
        }
        for (SharedGroup each : List.copyOf(groups)) {
            each.giveUpQueues(taker, shard.sureMs());
            changed(each);
        }
        shard.afterCommitHere(isKept -> {
            if (isKept) {
                then.run();
            }
        });
    }

    /** Whether some group has had queues that this node has adopted. Any thread. */
    boolean hasAdopted() {
        return hasAdopted;
    }

    /** Whether a message has come again that is in an adopted queue of a group, or was. */
    boolean hasAdopted(TopicFilter filter, Message message, Receipt waiting) {
        for (SharedGroup each : groups) {
            if (each.filter().equals(filter) && each.hasAdopted(message, waiting)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void answer(Receipt waiting) {
        shard.afterCommit(waiting::targetDone);
    }

    @Override
    public OtherNodes otherNodes() {
        return otherNodes;
    }

    @Override
    public @Nullable SharedGroupRef successor(SharedGroupRef group) {
        SharedGroup other = index == null ? null : living.get(group.filter());
        return other == null || group.equals(other) || other.state().isNone() ? null : other;
    }

    @Override
    public void handOver(SharedGroupRef successor, Message message, Receipt receipt) {
        shard.send(
                successor.owner(),
                new GroupMail.Publish(successor, message, receipt, shard.index()));
    }

    @Override
    public void stateChanged(SharedGroupRef group) {
        TopicIndex tells = index;
        if (tells != null) {
            GroupMail.Changed mail = new GroupMail.Changed(tells, group, group.state());
            shard.run(() -> shard.send(TopicIndex.OWNER, mail)); // At start it is not inside.
        }
    }

    @Override
    public void onPage(SharedGroupRef group) {
        ((SharedGroup) group).work(shard.sureMs());
        changed(group);
    }

    @Override
    public void onReadFailed(SharedGroupRef group, Throwable failure) {
        shard.counters().increment(Metric.STORE_READ_FAILURES);
        readFailures.warn(shard.nowMs(), group.filter(), failure);
        if (unread.isEmpty()) {
            shard.timers().arm(readAgain, shard.nowMs() + RETRY_MS);
        }
        unread.add((SharedGroup) group);
    }

    @Override
    public void discarded(@Nullable Message message, Metric cause, int count) {
        shard.counters().add(cause, null, count);
    }
}
