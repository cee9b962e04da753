package io.godwit.server.listener;

import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;

/** A shard as the listeners see it. */
public interface Inlet {
    /** A connection was accepted; on the shard's thread. */
    WireListener open(Wire wire);

    /** The shard's counters; its thread alone adds. */
    Counters counters();
}
