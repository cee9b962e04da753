package io.godwit.cluster.remote;

/** Why one side of a channel closes it. The ordinal is the code in messages. */
enum CloseReason {
    /** The socket or the connection has ended: the other side ends behind the bytes before it. */
    ENDED,
    /** The client does not read, and the edge has no memory for more outgoing bytes. */
    OVERDRAWN,
    /** The other side has named a channel that this side does not have. */
    UNKNOWN,
    /** The leader does not lead the slot any more: the client is told that the server ends. */
    LEADER_LOST;

    private static final CloseReason[] ALL = values();

    /**
     * @throws IndexOutOfBoundsException for a code that nobody writes
     */
    static CloseReason of(int code) {
        if (code >= ALL.length) {
            throw new IndexOutOfBoundsException("close reason " + code);
        }
        return ALL[code];
    }
}
