package io.godwit.server;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;
import io.godwit.core.node.BrokerShard;
import io.godwit.server.listener.Inlet;

/** A shard behind the listeners. */
record ShardInlet(BrokerShard shard) implements Inlet {
    @Override
    public WireListener open(Wire wire) {
        return shard.open(wire);
    }

    @Override
    public void handshakeFailed(CloseCause cause, String address, String listener, String why) {
        shard.handshakeFailed(cause, address, listener, why);
    }

    @Override
    public Counters counters() {
        return shard.counters();
    }
}
