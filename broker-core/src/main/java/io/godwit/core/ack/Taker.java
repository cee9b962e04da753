package io.godwit.core.ack;

import io.godwit.core.shard.Shard;

/**
 * Who takes QoS 2 messages in and remembers their ingress ids: a session, or a shared group. It may
 * be on another shard.
 */
public interface Taker {
    /** The publisher's side is done with a message: it will not come again. */
    void forget(Shard from, int ingressServer, long ingressCounter);
}
