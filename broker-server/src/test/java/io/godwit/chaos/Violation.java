package io.godwit.chaos;

import java.util.List;

/**
 * A promise that the broker broke.
 *
 * @param history what the client saw last, oldest first
 */
record Violation(
        Kind kind, long seed, int round, String client, String text, List<String> history) {
    enum Kind {
        LOST,
        DOUBLE,
        DISORDER,
        /** As {@link #DISORDER}, of wills. */
        WILL_DISORDER,
        SESSION_LOST,
        NOT_SUBSCRIBED,
        RETAINED,
        PACKET_ID,
        PROTOCOL,
        EXIT,
        STUCK
    }

    @Override
    public String toString() {
        return kind
                + " (seed "
                + seed
                + ", round "
                + round
                + ") "
                + client
                + ": "
                + text
                + String.join("", history.stream().map(line -> "\n      " + line).toList());
    }
}
