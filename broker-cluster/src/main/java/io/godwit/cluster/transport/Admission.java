package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteReader;

/** Decides which nodes links are opened to. Called on the thread of the links. */
public interface Admission {
    /** What this node says of itself now. */
    byte[] card();

    /**
     * A node says hello. Asked for each hello, so the answer may change.
     *
     * @param from where it came from
     * @param claimed who it says that it is
     * @throws IndexOutOfBoundsException when the card can't be read
     */
    Verdict onCard(Endpoint from, NodeStart claimed, ByteReader card, long nowMs);

    /** A node has refused this one. */
    void onRefused(Endpoint from, ByteReader why, long nowMs);

    /** A link ended since the peer's clock is too far ahead. */
    void onClockAhead(NodeStart peer);

    /** What becomes of a hello. */
    sealed interface Verdict {
        /**
         * A link may be opened. One to an earlier start of the same node ends.
         *
         * @param protocol version to speak
         */
        record Accepted(int protocol) implements Verdict {}

        /**
         * The node is told why not.
         *
         * @param why as {@link Admission#onRefused} is to get it there
         */
        record Refused(byte[] why) implements Verdict {}

        /** Not yet known: no answer; the next hello is asked about again. */
        record Later() implements Verdict {}
    }
}
