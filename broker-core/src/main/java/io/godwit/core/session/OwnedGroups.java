package io.godwit.core.session;

import io.godwit.core.id.ShardIds;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupStore;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.routing.Subscription;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.shard.Shard;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The shared-subscription groups whose queues one shard owns, and what they want done. */
public final class OwnedGroups implements SharedGroup.Effects, GroupStore {
    private final Shard shard;
    private final ShardIds ids;
    private final MqttSettings mqtt;
    private final LimitSettings limits;
    private final RandomGenerator random;
    private final Set<SharedGroup> groups = new LinkedHashSet<>();

    public OwnedGroups(
            Shard shard,
            ShardIds ids,
            MqttSettings mqtt,
            LimitSettings limits,
            RandomGenerator random) {
        this.shard = shard;
        this.ids = ids;
        this.mqtt = mqtt;
        this.limits = limits;
        this.random = random;
    }

    /** Makes a group; called by the topic index's thread, so it touches nothing that changes. */
    public SharedGroup create(TopicFilter filter) {
        return new SharedGroup(
                filter,
                shard.index(),
                mqtt.sharedStrategy(),
                limits.groupQueueMessages(),
                random,
                this,
                this);
    }

    /** A group was changed: it may have more to send, or have ended. */
    public void changed(SharedGroup group) {
        if (group.isEmpty()) {
            groups.remove(group);
        } else {
            groups.add(group);
            if (group.needsDrain()) {
                shard.slice(() -> {
                    group.drain(shard.wallMs());
                    return !group.needsDrain();
                });
            }
        }
    }

    /** Drops what has expired. @return bytes that wait */
    public long onTick() {
        long bytes = 0;
        for (SharedGroup group : groups) {
            group.expire(shard.wallMs());
            bytes += group.waitingBytes();
        }
        return bytes;
    }

    @Override
    public void deliver(
            SharedGroup from,
            Subscription member,
            int attachment,
            long entryId,
            int server,
            Message message,
            int qos) {
        shard.send(
                member.session.owner(),
                new GroupMail.Deliver(
                        message, member, qos, entryId, server, attachment, from.queueId()));
    }

    // ---------------------------------------------------------------- the durable copy

    @Override
    public long nextMessageId() {
        return ids.nextMessageId(0);
    }

    @Override
    public long putGroup(SharedGroup group) {
        long queueId = ids.nextQueueId();
        if (queueId != 0) {
            shard.store().putGroup(group.filter(), queueId);
        }
        return queueId;
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId) {
        shard.store().removeGroup(filter, queueId, ids.stamp());
    }

    @Override
    public void append(QueuedMessage entry) {
        shard.store().append(entry);
    }

    @Override
    public void remove(QueuedMessage entry) {
        shard.store().remove(entry);
    }

    @Override
    public void removeRow(long queueId, long messageId, int server) {
        shard.store().removeRow(queueId, messageId, server);
    }

    @Override
    public void discarded(Message message, Metric cause) {
        shard.counters().increment(cause);
    }
}
