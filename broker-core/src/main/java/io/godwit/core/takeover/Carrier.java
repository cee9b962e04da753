package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is said in takeovers from place to place. All of it is values; what stands beside a
 * value is the session's object, which goes along inside a node. To another node goes {@link
 * io.godwit.core.session.SessionHeader} in its place.
 */
interface Carrier {
    /** To the registrar of the client id. */
    void claim(Claim claim);

    /** To the session's owner, who is to give it up. */
    void recall(Recall recall, Session session);

    /** To a session's owner at another node, who is to give it up. */
    void recall(Claim claim, Holder.Elsewhere holder);

    /**
     * To the claimant, behind everything that was said here before.
     *
     * @param session null when there is none to continue
     */
    void granted(Granted granted, @Nullable Session session);

    /** To the registrar: the claim is done with, and the client id has this session, or none. */
    void settled(ClientId clientId, @Nullable Session session);

    /** To the registrar: the session has ended. */
    void ended(Session session);

    /** To every other shard of this node: say with a marker that this one hears nothing more. */
    void askForMarkers(Token token);

    /** Passes a marker on. */
    void marker(Place to, Marker marker);
}
