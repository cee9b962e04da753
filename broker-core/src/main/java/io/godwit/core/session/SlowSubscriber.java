package io.godwit.core.session;

import io.godwit.core.publish.PublisherSession;
import io.godwit.core.shard.Mail;

/** With soft limit 0: a subscriber that is behind with what a session publishes. */
public interface SlowSubscriber {
    /** Shard of the subscriber. */
    int shard();

    /** What tells the subscriber's shard that the publisher's session has ended. */
    Mail publisherGone(PublisherSession publisher);
}
