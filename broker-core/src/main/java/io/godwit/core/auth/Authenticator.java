package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
     * Where a connection comes from.
     *
     * @param remoteAddress for people and for rules, with the port, as {@code 10.0.0.1:50412}; by a
     *     proxy that is trusted: as that announced it
     * @param loopback whether it comes from this machine, and by no proxy
     * @param listener name of the listener
     * @param hasCertificate whether the client has shown a certificate that was verified
     * @param certificateName name in that certificate, by the listener's {@code tls.identity};
     *     null: none
     */
    record Peer(
            String remoteAddress,
            boolean loopback,
            String listener,
            boolean hasCertificate,
            @Nullable String certificateName) {
        /** The address of a client without a certificate. */
        public Peer(String remoteAddress, boolean loopback, String listener) {
            this(remoteAddress, loopback, listener, false, null);
        }
    }
}
