package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupStore;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.routing.Subscription;
import java.util.LinkedHashSet;
import java.util.Set;

/** The shared-subscription groups whose queues one shard owns, and what they want done. */
final class OwnedGroups implements SharedGroup.Effects, GroupStore {
    private final SessionShard shard;
    private final Set<SharedGroup> groups = new LinkedHashSet<>();

    OwnedGroups(SessionShard shard) {
        this.shard = shard;
    }

    /** Makes a group; called by the topic index's thread, so it touches nothing that changes. */
    SharedGroup create(TopicFilter filter) {
        return new SharedGroup(
                filter,
                shard.index(),
                shard.mqtt().sharedStrategy(),
                shard.limits().groupQueueMessages(),
                shard.random(),
                this,
                this);
    }

    /** A group was changed: it may have more to send, or have ended. */
    void changed(SharedGroup group) {
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
    long onTick() {
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
            Message message,
            int qos) {
        shard.send(
                member.session.owner(),
                new GroupMail.Deliver(message, member, qos, entryId, attachment, from.queueId()));
    }

    // ---------------------------------------------------------------- the durable copy

    @Override
    public long nextMessageId() {
        return shard.ids().nextMessageId(0);
    }

    @Override
    public long putGroup(SharedGroup group) {
        long queueId = shard.ids().nextQueueId();
        if (queueId != 0) {
            shard.store().putGroup(group.filter(), queueId);
        }
        return queueId;
    }

    @Override
    public void removeGroup(TopicFilter filter, long queueId) {
        shard.store().removeGroup(filter, queueId);
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
    public void removeRow(long queueId, long messageId) {
        shard.store().removeRow(queueId, messageId);
    }

    @Override
    public void discarded(Message message, Metric cause) {
        shard.counters().increment(cause);
    }
}
