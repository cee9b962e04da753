package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides about a client that no authenticator has let in or refused, by where it comes from
 * ({@code security.anonymous}). Any thread.
 */
public final class AnonymousAccess {
    /** Says which clients without credentials are let in. */
    public enum Policy {
        LOOPBACK,
        NOBODY,
        EVERYONE
    }

    private final Policy policy;
    private final Runnable onUnreadCredentials;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * @param onUnreadCredentials called once, when the first credentials were accepted unread
     */
    public AnonymousAccess(Policy policy, Runnable onUnreadCredentials) {
        this.policy = policy;
        this.onUnreadCredentials = onUnreadCredentials;
    }

    /**
     * @param isAuthenticated whether authenticators were asked: then a CONNECT with credentials,
     *     which none of them knew, is refused. Where there are none, credentials are not read
     */
    public Verdict decide(Packet.Connect connect, Peer peer, boolean isAuthenticated) {
        boolean hasCredentials = connect.userName() != null || connect.password() != null;
        if (isAuthenticated && hasCredentials) {
            return new Verdict.Refused(
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD, "no such user, or a wrong password");
        }
        boolean isLetIn =
                switch (policy) {
                    case EVERYONE -> true;
                    case LOOPBACK -> peer.loopback();
                    case NOBODY -> false;
                };
        if (!isLetIn) {
            return new Verdict.Refused(ReasonCode.NOT_AUTHORIZED, whyNot());
        }
        if (hasCredentials && told.compareAndSet(false, true)) {
            onUnreadCredentials.run();
        }
        return new Verdict.Granted(Identity.ANONYMOUS);
    }

    private String whyNot() {
        return policy == Policy.NOBODY
                ? "nobody may connect without credentials (security.anonymous: nobody)"
                : "only clients on the broker's own machine may connect without credentials"
                        + " (security.anonymous: loopback)";
    }
}
