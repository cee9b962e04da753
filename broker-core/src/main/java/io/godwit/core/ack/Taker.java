package io.godwit.core.ack;

import io.godwit.core.shard.Shard;

/**
 * A target that takes QoS 2 messages in and remembers their ingress ids: a session, or a shared
 * group. It may be on another shard.
 */
public interface Taker {
    /** Forgets a message: the publisher's side is done with it, and it will not come again. */
    void forget(Shard from, int ingressServer, long ingressCounter);
}
