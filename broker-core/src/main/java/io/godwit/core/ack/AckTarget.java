package io.godwit.core.ack;

import io.godwit.core.id.SessionKey;

/** A target of a publish, by a name that stays the same when the target changes its home. */
public sealed interface AckTarget {
    /** A session, with whatever queue it has. */
    record OfSession(SessionKey session) implements AckTarget {}

    /** A queue without a session of its own: a part of a shared group. */
    record OfQueue(long queueId) implements AckTarget {}
}
