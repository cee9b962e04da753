package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import java.util.function.Consumer;

/**
 * Finds out who a client is, by its CONNECT and its address. It may take its time: nothing blocks
 * meanwhile. An exception, or no answer in {@code security.authenticate-time}, refuses the client.
 */
public interface Authenticator {
    /** The name that {@code security.authenticators} has for it. */
    String name();

    /**
     * @param connect with the client id that counts, though the broker has given it
     * @param verdict takes the answer, from any thread; a second answer is ignored
     */
    void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict);

    /**
     * Whether the user of an identity that it has granted was removed since: then its client is
     * disconnected when clients are looked at again. Any thread; answers at once.
     */
    default boolean isRemoved(Identity identity) {
        return false;
    }
}
