package io.godwit.core.session;

import io.godwit.core.store.SessionMoves;

/**
 * How a session was at this node before, if messages have come here since then without a break.
 *
 * @param given see {@link SessionMoves#stayed}
 * @param waited see {@link SessionMoves#waited}
 */
public record Stay(long given, long waited) {
    public static final Stay NONE = new Stay(0, 0);
}
