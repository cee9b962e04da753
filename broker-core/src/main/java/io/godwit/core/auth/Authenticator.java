package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import java.util.function.Consumer;

/** Decides whether a client may connect. It may take its time: nothing blocks meanwhile. */
public interface Authenticator {
    /**
     * @param verdict called once, from any thread
     */
    void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict);

    /**
     * The address from which a connection comes.
     *
     * @param listener name of the listener
     */
    record Peer(String remoteAddress, boolean loopback, String listener) {}
}
