package io.godwit.core.store;

/**
 * Tells how far the copies of queues at other nodes have come. An acknowledgement waits for its own
 * commit and for these.
 */
public interface Confirmations {
    /** Of a node whose queues have no copies: nothing has to be waited for. */
    Confirmations NONE = (copySet, position) -> true;

    /**
     * Whether every follower of a copy set has confirmed what this node has written of it. Any
     * thread asks.
     *
     * @param copySet see {@link CopySets}
     * @param position position of the journal: what stands up to there counts, and may be all that
     *     is asked for when more is written already
     */
    boolean has(int copySet, long position);
}
