package io.godwit.core.ack;

import io.godwit.core.id.SessionKey;

/** Who has to have a publish, by a name that stays the same when it changes its home. */
public sealed interface AckTarget {
    /** A session, with whatever queue it has. */
    record OfSession(SessionKey session) implements AckTarget {}

    /** A queue without a session of its own: a part of a shared group. */
    record OfQueue(long queueId) implements AckTarget {}
}
