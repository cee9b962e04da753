package io.godwit.core.index;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;

/**
 * The shared groups of the node as subscribing sessions see them; each group is owned by some
 * shard.
 */
public interface GroupDirectory {
    /** Makes a group; called on the thread that owns the index. */
    SharedGroupRef create(TopicFilter filter);

    /**
     * Makes a session a member; {@link Subscriptions#joined} and then the answer follow.
     *
     * @param replyTo shard that waits with the SUBACK
     */
    void join(
            SharedGroupRef group,
            Subscription subscription,
            SubscribeMail.Pending pending,
            int replyTo);

    /** Takes a member out: its session unsubscribed, or ended. */
    void leave(SharedGroupRef group, Subscriber session, boolean sessionEnded);

    /**
     * Tells the group that a member has a connection.
     *
     * @param credit QoS 1 and 2 messages that it may have in flight
     * @param connection the session's number of it
     */
    void online(SharedGroupRef group, Subscriber session, int credit, int connection);

    /** Tells the group that a member's connection is gone. */
    void offline(SharedGroupRef group, Subscriber session);
}
