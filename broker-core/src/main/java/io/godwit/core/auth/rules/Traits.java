package io.godwit.core.auth.rules;

import io.godwit.core.auth.Subject;
import io.godwit.core.settings.Network;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds what the conditions of rules look at in a client.
 *
 * @param userName null: it has none
 * @param groups all that it is in, by the rules or by its authenticator
 * @param address 4 or 16 bytes; null: it is unknown
 */
record Traits(
        @Nullable String userName,
        Set<String> groups,
        String clientId,
        byte @Nullable [] address,
        String listener,
        boolean hasCertificate) {
    static Traits of(Subject subject, Set<String> groups) {
        return new Traits(
                subject.identity().userName(),
                groups,
                subject.clientId().toString(),
                address(subject.peer().remoteAddress()),
                subject.peer().listener(),
                subject.peer().hasCertificate());
    }

    /**
     * Reads the address of a peer, as {@code 10.0.0.1:50412} or {@code [::1]:50412}, with or
     * without the port.
     *
     * @return 4 or 16 bytes; null: it is no address
     */
    static byte @Nullable [] address(String peer) {
        String host = peer;
        int colon = peer.indexOf(':');
        if (peer.startsWith("[")) {
            host = peer.substring(1, Math.max(1, peer.indexOf(']')));
        } else if (colon >= 0 && colon == peer.lastIndexOf(':')) {
            host = peer.substring(0, colon);
        }
        int zone = host.indexOf('%');
        return Network.address(zone < 0 ? host : host.substring(0, zone));
    }
}
