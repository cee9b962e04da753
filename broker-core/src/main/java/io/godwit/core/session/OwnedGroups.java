package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.routing.Subscription;
import java.util.LinkedHashSet;
import java.util.Set;

/** The shared-subscription groups whose queues one shard owns, and what they want done. */
final class OwnedGroups implements SharedGroup.Effects {
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
            Subscription member, int attachment, long entryId, Message message, int qos) {
        shard.send(
                member.session.owner(),
                new GroupMail.Deliver(message, member, qos, entryId, attachment));
    }

    @Override
    public void discarded(Message message, Metric cause) {
        shard.counters().increment(cause);
    }
}
