package io.godwit.server.extension.call;

import io.godwit.core.packet.ClientId;
import io.godwit.core.review.SessionEvents;
import io.godwit.extension.event.SessionListener;
import io.godwit.extension.event.SessionListener.SessionChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells extensions what has happened to sessions. */
final class ExtensionSessionEvents implements SessionEvents {
    private final List<Target> targets;

    /** A listener of an extension. */
    record Target(SessionListener listener, EventRing ring) {}

    ExtensionSessionEvents(List<Target> targets) {
        this.targets = List.copyOf(targets);
    }

    @Override
    public void happened(
            ClientId clientId, @Nullable String owner, long expirySeconds, Kind kind, Cause cause) {
        for (Target each : targets) {
            each.ring.offer(
                    CallKind.SESSION_EVENT,
                    clientId,
                    () ->
                            tell(
                                    each.listener,
                                    kind,
                                    new SessionChange(
                                            clientId.toString(),
                                            owner,
                                            expirySeconds,
                                            cause(cause))));
        }
    }

    private static void tell(SessionListener listener, Kind kind, SessionChange change) {
        switch (kind) {
            case CREATED -> listener.onCreated(change);
            case RESUMED -> listener.onResumed(change);
            case MOVED_HERE -> listener.onMovedHere(change);
            case MOVED_AWAY -> listener.onMovedAway(change);
            case EXPIRED -> listener.onExpired(change);
            case ENDED -> listener.onEnded(change);
        }
    }

    private static SessionListener.Cause cause(Cause cause) {
        return switch (cause) {
            case CONNECT -> SessionListener.Cause.CONNECT;
            case CLEAN_START -> SessionListener.Cause.CLEAN_START;
            case CONNECTION_ENDED -> SessionListener.Cause.CONNECTION_ENDED;
            case EXPIRY -> SessionListener.Cause.EXPIRY;
            case ADMINISTRATOR -> SessionListener.Cause.ADMINISTRATOR;
            case LEADER_CHANGED -> SessionListener.Cause.LEADER_CHANGED;
            case REPLACED -> SessionListener.Cause.REPLACED;
        };
    }
}
