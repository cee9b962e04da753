package io.godwit.server;

import io.godwit.core.metrics.Counters;
import io.godwit.core.session.SessionShard;
import io.godwit.core.session.Wire;
import io.godwit.core.session.WireListener;
import io.godwit.server.listener.Inlet;

/** A shard behind the listeners. */
record ShardInlet(SessionShard shard) implements Inlet {
    @Override
    public WireListener open(Wire wire) {
        return shard.open(wire);
    }

    @Override
    public Counters counters() {
        return shard.counters();
    }
}
