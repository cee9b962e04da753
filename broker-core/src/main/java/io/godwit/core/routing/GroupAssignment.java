package io.godwit.core.routing;

import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/** Which member a message of a shared group goes to, and in which queue it waits until then. */
sealed interface GroupAssignment permits SpreadAssignment, HashAssignment {
    /**
     * @param needsCredit false for QoS 0
     * @return null when it must wait
     */
    @Nullable GroupMember memberFor(Message message, boolean needsCredit);

    GroupQueue queueOf(Message message);

    /** The queue whose head goes next, when a member is ready; null when nothing can go. */
    @Nullable GroupQueue nextQueue();

    Iterable<GroupQueue> queues();

    /** It is online, or has come back, and subscribed. */
    void available(GroupMember member);

    /** It is offline, or has unsubscribed, or is gone; no harm when it was not available. */
    void unavailable(GroupMember member);
}
