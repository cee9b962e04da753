package io.godwit.core.session;

import io.godwit.core.publish.PublisherSession;
import io.godwit.core.shard.Mail;

/** A subscriber that is behind with what a session publishes, with soft limit 0. */
public interface SlowSubscriber {
    /** Shard of the subscriber. */
    int shard();

    /** Mail that tells the subscriber's shard that the publisher's session has ended. */
    Mail publisherGone(PublisherSession publisher);
}
