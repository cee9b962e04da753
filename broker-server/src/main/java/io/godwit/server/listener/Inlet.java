package io.godwit.server.listener;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.godwit.core.metrics.Counters;

/** A shard as the listeners see it. */
public interface Inlet {
    /** A connection was accepted; on the shard's thread. */
    WireListener open(Wire wire);

    /**
     * Logs and counts a connection that ended before MQTT began; on the shard's thread.
     *
     * @param address of the peer, with its port
     */
    void handshakeFailed(CloseCause cause, String address, String listener, String why);

    /** The shard's counters; its thread alone adds. */
    Counters counters();
}
