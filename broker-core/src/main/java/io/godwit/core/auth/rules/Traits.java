package io.godwit.core.auth.rules;

import io.godwit.core.auth.Subject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the conditions of rules look at in a client.
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
                AddressRange.ofPeer(subject.peer().remoteAddress()),
                subject.peer().listener(),
                subject.peer().hasCertificate());
    }
}
