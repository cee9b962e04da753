package io.godwit.core.session;

/**
 * The state of a session. One way leads from each state to each of those that may follow:
 *
 * <pre>
 * state    trigger                                              next
 * offline  CONNECT                                              online
 * offline  its client was gone when it came here                offline, from now on
 * offline  claimed by a connection of another shard             moving
 * offline  expiry, Clean Start, a transient one's last state    ended
 * online   connection lost, or taken over by a newer one        offline
 * offline  set aside: another of its client id counts           ended
 * offline  another node leads its slot, and has it by a copy    ended
 * moving   it has arrived there                                 offline
 * </pre>
 */
sealed interface SessionState {
    /** The client is connected. */
    record Online(ClientLink link) implements SessionState {}

    /**
     * The session has no connection, or none yet.
     *
     * @param sinceMs epoch milliseconds
     */
    record Offline(long sinceMs) implements SessionState {}

    /**
     * The session's owner has given it up, and the next one has not taken it up.
     *
     * @param sinceMs epoch milliseconds since which it is offline
     */
    record Moving(long sinceMs) implements SessionState {}

    /**
     * The session is over here: ended, set aside, or a copy of another node's. What it owes is
     * still to be done.
     *
     * @param sinceMs epoch milliseconds
     */
    record Ended(long sinceMs) implements SessionState {}

    /** Whether the table has the way from this state to that one. */
    default boolean mayBecome(SessionState next) {
        return switch (this) {
            case Online online -> next instanceof Offline;
            case Offline offline -> true;
            case Moving moving -> next instanceof Offline;
            case Ended ended -> false;
        };
    }

    /** Epoch milliseconds since which the session has no connection; 0 while it has one. */
    default long offlineSinceMs() {
        return switch (this) {
            case Online online -> 0;
            case Offline offline -> offline.sinceMs;
            case Moving moving -> moving.sinceMs;
            case Ended ended -> ended.sinceMs;
        };
    }
}
