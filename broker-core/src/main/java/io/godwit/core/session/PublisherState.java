package io.godwit.core.session;

import io.godwit.core.publish.InboundQos2;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.publish.Publishing;
import io.godwit.core.shard.Mailer;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a session remembers of its client as a publisher. Made when there is something: most
 * sessions publish nothing, or at QoS 0 and 1 only.
 */
final class PublisherState {
    /** QoS 2 PUBLISHes whose PUBREL has not come. */
    final InboundQos2 inbound = new InboundQos2();

    /** With soft limit 0: subscribers whom this session's PUBLISHes wait for. */
    private @Nullable Set<SlowSubscriber> slowSubscribers;

    /** Of the last connection, which is gone: it may still have something to route. */
    private @Nullable Publishing left;

    boolean isEmpty() {
        return inbound.size() == 0 && slowSubscribers == null && left == null;
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

    /** The session has ended: its slow subscribers need not tell it any more. */
    void forgetSlowSubscribers(PublisherSession session, Mailer from) {
        if (slowSubscribers != null) {
            for (SlowSubscriber slow : slowSubscribers) {
                from.send(slow.shard(), slow.publisherGone(session));
            }
            slowSubscribers = null;
        }
    }

    /** The connection is gone, and this is still to be routed. */
    void left(Publishing publishing) {
        left = publishing;
        publishing.whenIdle(() -> left = null);
    }

    @Nullable Publishing takeLeft() {
        Publishing publishing = left;
        left = null;
        return publishing;
    }
}
