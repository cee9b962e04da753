package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the words of takeovers from place to place. All of it is values; what stands beside a
 * value is the session's object, which goes along inside a node. To another node goes {@link
 * io.godwit.core.session.SessionHeader} in its place.
 */
interface Carrier {
    /** Brings a claim to the registrar of the client id. */
    void claim(Claim claim);

    /** Tells the registrar that the connection which claims has ended. */
    void withdraw(ClientId clientId, Token token);

    /** Tells the claimant that the registrar has forgotten the claim. */
    void withdrawn(Token token);

    /** Tells the session's owner to give it up. */
    void recall(Recall recall, Session session);

    /** Tells the claimant that the session is out of reach. */
    void refused(Claim claim);

    /** Says something to the registrar's part in moves between nodes. */
    void toRegistrar(ClientId clientId, Consumer<Moves> word);

    /**
     * Tells the claimant that the client id is its own, behind everything that was said here
     * before.
     *
     * @param session null when there is none to continue
     */
    void granted(Granted granted, @Nullable Session session);

    /**
     * Tells the registrar that the claim is done with, and which session the client id has, or
     * none.
     */
    void settled(ClientId clientId, @Nullable Session session);

    /** Tells the registrar that the session has ended. */
    void ended(Session session);

    /**
     * Asks every other shard of this node to say with a marker that this one hears nothing more.
     */
    void askForMarkers(Token token);

    /** Passes a marker on. */
    void marker(Place to, Marker marker);
}
