package io.godwit.core.index;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.ShardIds;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.RetainedKeeper;
import io.godwit.core.routing.Retained;
import io.godwit.core.routing.RetainedOutcome;
import io.godwit.core.routing.RetainedStore;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does, on the one thread that owns them, all work on topic index and retained store for all
 * shards. Subscribing, and keeping and routing a retained message, are steps of the same thread: a
 * subscriber gets each retained message either live or by replay, and nothing older after something
 * newer.
 */
public final class IndexOwner implements RetainedKeeper, RetainedCopies {
    private static final int SWEEP_STEPS = 500;

    private final Shard shard;
    private final ShardIds ids;
    private final GroupDirectory directory;
    private final FilterSpread spread;
    private final int replayMax;
    private final TopicIndex index;
    private final RetainedStore retained;

    /** Null where there is no other node. */
    private final @Nullable RetainedStamps stamps;

    private final Map<TopicFilter, GroupMembers> groups = new HashMap<>();

    private final RetainedIngress ingress;

    /** Mail of which only a slice was done, and the mail that came behind it. */
    private final ArrayDeque<Later> backlog = new ArrayDeque<>(0);

    private record Later(IndexMail mail, int from) {}

    /** A group with the number of its members: with the last one it leaves the index. */
    private static final class GroupMembers {
        final SharedGroupRef queue;
        int count;

        /** Members that are durable; of those that are not, other nodes may drop what they owe. */
        final Set<SessionRef> durable = new HashSet<>(2);

        GroupMembers(SharedGroupRef queue) {
            this.queue = queue;
        }
    }

    /**
     * @param spread tells other nodes
     * @param hash of topics, which strangers choose
     * @param qos0SoftLimit messages of a replay that may be under way to one session; 0 = any
     */
    public IndexOwner(
            Shard shard,
            ShardIds ids,
            TopicIndex index,
            GroupDirectory directory,
            FilterSpread spread,
            LimitSettings limits,
            KeyedHash hash,
            int qos0SoftLimit) {
        this.shard = shard;
        this.ids = ids;
        this.index = index;
        this.directory = directory;
        this.spread = spread;
        this.retained = new RetainedStore(limits, hash);
        this.ingress = new RetainedIngress(shard);
        this.stamps =
                spread == FilterSpread.NONE ? null : new RetainedStamps(limits.retainedMessages());
        this.replayMax = qos0SoftLimit;
    }

    public RetainedStore retained() {
        return retained;
    }

    /** Runs a task once other nodes route to all filters so far. */
    void whenKnown(Runnable task) {
        spread.whenKnown(task);
    }

    boolean isBehind() {
        return !backlog.isEmpty();
    }

    /** Puts this mail, or the rest of it, behind what waits already. */
    void later(IndexMail mail, int from) {
        shard.assertInside();
        backlog.add(new Later(mail, from));
        if (backlog.size() == 1) {
            shard.slice(this::workOff);
        }
    }

    private boolean workOff() {
        int left = IndexMail.SLICE;
        Later first;
        while (left > 0 && (first = backlog.peek()) != null) {
            left -= 1 + first.mail().work(this, shard, first.from());
            if (first.mail().isDone()) {
                backlog.remove();
            }
        }
        return backlog.isEmpty();
    }

    public void add(Subscription subscription) {
        index.add(subscription);
    }

    /**
     * Does what follows when the subscription is in the index, or is a group's: answer and replay.
     */
    void subscribed(SubscribeMail.Pending pending, SubscribeMail.Granted granted, int replyTo) {
        shard.assertInside();
        Subscription subscription = granted.subscription();
        if (subscription.filter.isShared()) {
            join(pending, granted, replyTo);
        } else if (granted.replay() && hasRetained(subscription.filter)) {
            RetainedReplay replay =
                    new RetainedReplay(subscription, retained.scan(subscription.filter), replayMax);
            shard.send(replyTo, new SubscribeMail.Replays(pending, replay));
        }
    }

    /** Whether there may be retained messages for a filter. */
    private boolean hasRetained(TopicFilter filter) {
        return retained.size() > 0
                && (filter.hasWildcard()
                        || retained.get(new Topic(filter.bytes()), shard.sureMs()) != null);
    }

    /**
     * Takes up a session's shared subscription that was kept; called at start.
     *
     * @return its group
     */
    public SharedGroupRef recovered(Subscription subscription) {
        GroupMembers group = members(subscription);
        group.count++;
        return group.queue;
    }

    /**
     * Has a group in the index, before its member joins: other nodes have to hear of it, and of its
     * first durable member.
     */
    void addGroup(Subscription member) {
        members(member);
    }

    private GroupMembers members(Subscription member) {
        boolean durable = member.isOwedAfterCrash();
        GroupMembers group = groups.get(member.filter);
        if (group == null) {
            group = new GroupMembers(directory.create(member.filter));
            groups.put(member.filter, group);
            index.addGroup(group.queue, durable);
        }
        if (durable) {
            group.durable.add(member.session);
            index.groupDurable(group.queue, true);
        } else {
            endDurable(group, member.session);
        }
        return group;
    }

    private void endDurable(GroupMembers group, SessionRef session) {
        if (group.durable.remove(session) && group.durable.isEmpty()) {
            index.groupDurable(group.queue, false);
        }
    }

    private void join(SubscribeMail.Pending pending, SubscribeMail.Granted granted, int replyTo) {
        Subscription subscription = granted.subscription();
        GroupMembers group = members(subscription);
        if (granted.isNew()) {
            group.count++;
        }
        directory.join(group.queue, subscription, pending, replyTo);
    }

    void unsubscribe(Subscriber session, Subscription subscription, boolean sessionEnded) {
        shard.assertInside();
        TopicFilter filter = subscription.filter;
        if (!filter.isShared()) {
            index.remove(filter, session);
            return;
        }
        GroupMembers group = groups.get(filter);
        if (group == null) {
            return;
        }
        directory.leave(group.queue, session, sessionEnded);
        if (--group.count == 0) {
            groups.remove(filter);
            index.removeGroup(group.queue);
        } else {
            endDurable(group, session);
        }
    }

    /** Removes some of the retained messages that have expired. */
    public void sweep(long wallMs) {
        shard.assertInside();
        retained.sweep(
                wallMs,
                SWEEP_STEPS,
                removed -> {
                    if (!removed.topic.isSysTree()) {
                        shard.store().removeRetained(removed.topic, ids.stamp());
                    }
                    if (stamps != null) {
                        stamps.forget(removed.topic);
                    }
                });
    }

    /**
     * Takes up a retained message that was kept, whatever the limits are now; called at start.
     *
     * @param stamp of its PUBLISH
     */
    public void recovered(Message message, HybridId stamp, long wallMs) {
        if (message.isExpired(wallMs)) {
            shard.store().removeRetained(message.topic, ids.stamp());
        } else {
            retained.restore(message, index.version());
            if (stamps != null) {
                stamps.kept(message.topic, stamp);
            }
        }
    }

    /** At start: a deletion that was kept. */
    public void recoveredDeletion(Topic topic, HybridId stamp) {
        if (stamps != null) {
            stamps.deleted(topic, stamp);
        }
    }

    @Override
    public @Nullable HybridId retain(Message message, @Nullable Receipt receipt) {
        shard.assertInside();
        Receipt mayComeAgain =
                receipt != null && receipt.mayComeAgain && shard.rules().holds(Rule.INGRESS_MEMORY)
                        ? receipt
                        : null;
        HybridId kept = mayComeAgain == null ? null : ingress.idOf(message);
        if (mayComeAgain != null && kept != null) {
            await(mayComeAgain); // Kept before a restart; there may be a newer one.
            return kept;
        }
        if (message.topic.isSysTree()) {
            put(message); // Made anew by every start.
            return null;
        }
        HybridId id = ids.stamp();
        HybridId stamp = stamp(message.topic, id);
        keep(message, stamp);
        if (mayComeAgain != null) {
            mayComeAgain.takenBy(message, ingress);
            ingress.remember(message, id); // Unlike stamps it was given once.
        }
        awaitCommit(message, receipt);
        return stamp;
    }

    /**
     * Above that of what is there, which may come from a node whose clock is ahead. That never
     * lifts the shard's own clock: it would give ids that the store has not reserved.
     */
    private HybridId stamp(Topic topic, HybridId next) {
        HybridId known = stamps == null ? null : stamps.of(topic);
        return known == null || known.compareTo(next) < 0
                ? next
                : new HybridId(known.clock() + 1, next.server());
    }

    @Override
    public void retainArrived(Message message, HybridId stamp, @Nullable Receipt receipt) {
        shard.assertInside();
        if (isLater(message.topic, stamp)) {
            keep(message, stamp);
        }
        awaitCommit(message, receipt);
    }

    private void awaitCommit(Message message, @Nullable Receipt receipt) {
        if (receipt != null && message.qos > 0) {
            await(receipt);
        }
    }

    private void await(Receipt receipt) {
        receipt.await();
        shard.afterCommitHere(receipt::targetDone);
    }

    /** The ingress ids of what may come again. */
    public RetainedIngress ingress() {
        return ingress;
    }

    private boolean isLater(Topic topic, HybridId stamp) {
        HybridId known = stamps == null ? null : stamps.of(topic);
        return known == null || known.compareTo(stamp) < 0;
    }

    private RetainedOutcome put(Message message) {
        RetainedOutcome outcome = retained.put(message, index.version());
        if (outcome == RetainedOutcome.REFUSED) {
            shard.counters().increment(Metric.DROPPED_RETAINED_LIMIT);
        }
        return outcome;
    }

    private void keep(Message message, HybridId stamp) {
        RetainedOutcome outcome = put(message);
        switch (outcome) {
            case ADDED, REPLACED -> shard.store().putRetained(message, stamp);
            case REMOVED, REFUSED -> shard.store().removeRetained(message.topic, stamp);
            case NOTHING_TO_REMOVE -> {
                // What was there may be gone in memory alone so far, or be on another node only.
                if (stamps != null) {
                    shard.store().removeRetained(message.topic, stamp);
                }
            }
        }
        if (stamps == null) {
            return;
        }
        switch (outcome) {
            case ADDED, REPLACED -> stamps.kept(message.topic, stamp);
            case REMOVED, NOTHING_TO_REMOVE -> stamps.deleted(message.topic, stamp);
            case REFUSED -> stamps.forget(message.topic); // No deletion: others may have room.
        }
    }

    // ---------------------------------------------------------------- copies for other nodes

    @Override
    public Digest digest() {
        return stamps == null ? new Digest() : stamps.digest();
    }

    @Override
    public List<Topic> topics() {
        return stamps == null ? List.of() : stamps.topics();
    }

    @Override
    public @Nullable Copy copy(Topic topic) {
        HybridId stamp = stamps == null ? null : stamps.of(topic);
        if (stamps == null || stamp == null) {
            return null;
        }
        if (stamps.isDeleted(topic)) {
            return new Copy(topic, stamp, null);
        }
        Retained value = retained.get(topic, shard.sureMs());
        return value == null ? null : new Copy(topic, stamp, value.message());
    }

    @Override
    public void keep(Copy copy) {
        if (!isLater(copy.topic(), copy.stamp())) {
            return;
        }
        Message message = copy.message();
        keep(message != null ? message : deletion(copy.topic()), copy.stamp());
    }

    private static Message deletion(Topic topic) {
        return new Message(
                topic, new byte[0], PublishFrame.NO_PROPERTIES, 0, true, Message.NEVER, null, 0, 0);
    }
}
