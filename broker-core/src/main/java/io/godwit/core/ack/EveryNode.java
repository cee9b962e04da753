package io.godwit.core.ack;

import io.godwit.core.shard.Shard;

/**
 * Tells every node of the cluster, this one too, to forget a QoS 2 message: one of an earlier start
 * of this node, which does not know any more which nodes it had sent the message to. It may still
 * be on its way to each of them, so none forgets it at once.
 */
public interface EveryNode extends Taker {
    /**
     * The publisher's side is done with the message.
     *
     * @param rest tells the takers here, on the same shard; to be done when the message is on its
     *     way to this node no more
     */
    void forget(Shard from, int ingressServer, long ingressCounter, Runnable rest);

    /** Told otherwise, before all others. */
    @Override
    default void forget(Shard from, int ingressServer, long ingressCounter) {}
}
