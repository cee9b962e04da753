package io.godwit.core.session;

import io.godwit.core.publish.InboundQos2;
import io.godwit.core.publish.NodePaths;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.publish.Publishing;
import io.godwit.core.shard.Mailer;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a session's client as a publisher. Made when there is something to remember: most
 * sessions publish nothing, or at QoS 0 and 1 only.
 */
final class PublisherState {
    /** QoS 2 PUBLISHes whose PUBREL has not come. */
    final InboundQos2 inbound = new InboundQos2();

    /** The subscribers that this session's PUBLISHes wait for, with soft limit 0. */
    private @Nullable Set<SlowSubscriber> slowSubscribers;

    /**
     * The publishing side of the last connection, which is gone: it may still have something to
     * route.
     */
    private @Nullable Publishing left;

    /** Ways to other nodes that its PUBLISHes have taken. */
    @Nullable NodePaths paths;

    boolean isEmpty() {
        return inbound.size() == 0
                && slowSubscribers == null
                && left == null
                && (paths == null || paths.isIdle());
    }

    boolean hasSlowSubscribers() {
        return slowSubscribers != null;
    }

    void slowSubscriber(SlowSubscriber subscriber, boolean waits) {
        Set<SlowSubscriber> slow =
                slowSubscribers == null ? new LinkedHashSet<>(2) : slowSubscribers;
        if (waits) {
            slow.add(subscriber);
        } else {
            slow.remove(subscriber);
        }
        slowSubscribers = slow.isEmpty() ? null : slow;
    }

    /** Tells the slow subscribers that the session has ended and need not hear of them any more. */
    void forgetSlowSubscribers(PublisherSession session, Mailer from) {
        if (slowSubscribers != null) {
            for (SlowSubscriber slow : slowSubscribers) {
                from.send(slow.shard(), slow.publisherGone(session));
            }
            slowSubscribers = null;
        }
    }

    /** Takes the publishing side of a connection that is gone: it has still something to route. */
    void left(Publishing publishing) {
        left = publishing;
        publishing.whenIdle(() -> left = left == publishing ? null : left);
    }

    /** Returns the publishing side of a connection that is gone; null: all of it is routed. */
    @Nullable Publishing left() {
        return left;
    }
}
