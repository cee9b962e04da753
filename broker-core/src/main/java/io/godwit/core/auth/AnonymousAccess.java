package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Lets clients in by where they come from ({@code security.anonymous}); credentials are not read.
 */
public final class AnonymousAccess implements Authenticator {
    /** The values of {@code security.anonymous}: which clients are let in. */
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

    @Override
    public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
        boolean granted =
                switch (policy) {
                    case EVERYONE -> true;
                    case LOOPBACK -> peer.loopback();
                    case NOBODY -> false;
                };
        if (!granted) {
            verdict.accept(new Verdict.Refused(ReasonCode.NOT_AUTHORIZED, whyNot()));
            return;
        }
        if ((connect.userName() != null || connect.password() != null)
                && told.compareAndSet(false, true)) {
            onUnreadCredentials.run();
        }
        verdict.accept(new Verdict.Granted());
    }

    private String whyNot() {
        return policy == Policy.NOBODY
                ? "nobody may connect (security.anonymous: nobody)"
                : "only clients on the broker's own machine may connect (security.anonymous:"
                        + " loopback)";
    }
}
