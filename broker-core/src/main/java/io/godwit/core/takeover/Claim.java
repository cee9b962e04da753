package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import org.jspecify.annotations.Nullable;

/**
 * To the registrar: a CONNECT wants its client id.
 *
 * @param cleanStart whether an existing session is ended, not continued
 * @param given the claim as the store knows it, of a connection to another node; else null
 * @param onlyFrom server id of the node that has offered the session since it leaves: of nobody's
 *     connection, and for nothing else; {@link #FROM_ANY} for a connection
 * @param isDurable whether a session that is made for it is to outlive its connection
 */
public record Claim(
        ClientId clientId,
        Token token,
        boolean cleanStart,
        SessionMoves.@Nullable Given given,
        int onlyFrom,
        boolean isDurable) {
    /** The session is taken from whoever has it. */
    public static final int FROM_ANY = -1;

    Claim(ClientId clientId, Token token, boolean cleanStart, boolean isDurable) {
        this(clientId, token, cleanStart, null, FROM_ANY, isDurable);
    }

    /** A claim of what another node has offered. */
    static Claim ofOffered(ClientId clientId, Token token, int from) {
        return new Claim(clientId, token, false, null, from, true);
    }

    /** A claim of a connection to another node. */
    static Claim of(ClientId clientId, boolean cleanStart, SessionMoves.Given given) {
        Place place = new Place(given.server(), given.shard());
        Token token = new Token(place, given.claim());
        return new Claim(clientId, token, cleanStart, given, FROM_ANY, true);
    }
}
