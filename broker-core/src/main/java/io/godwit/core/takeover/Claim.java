package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import org.jspecify.annotations.Nullable;

/**
 * To the registrar: a CONNECT wants its client id.
 *
 * @param cleanStart whether an existing session is ended, not continued
 * @param given the claim as the store knows it, of a connection to another node; else null
 */
public record Claim(
        ClientId clientId, Token token, boolean cleanStart, SessionMoves.@Nullable Given given) {
    Claim(ClientId clientId, Token token, boolean cleanStart) {
        this(clientId, token, cleanStart, null);
    }

    /** A claim of a connection to another node. */
    static Claim of(ClientId clientId, boolean cleanStart, SessionMoves.Given given) {
        Place place = new Place(given.server(), given.shard());
        return new Claim(clientId, new Token(place, given.claim()), cleanStart, given);
    }
}
