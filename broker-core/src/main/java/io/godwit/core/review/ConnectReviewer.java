package io.godwit.core.review;

import io.godwit.core.auth.Peer;
import io.godwit.core.packet.Packet;
import java.util.function.Consumer;

/**
 * Sees CONNECTs before anybody is asked who has sent them, at the node that the client is connected
 * to. It is called by the thread of the connection's shard and must not block; its answer comes
 * later, from any thread, once: a second one is ignored.
 */
public interface ConnectReviewer {
    /**
     * Begins to review a CONNECT.
     *
     * @param connect with the client id that counts
     */
    void connect(Packet.Connect connect, Peer peer, Consumer<ConnectOutcome> answer);
}
