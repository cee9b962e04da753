package io.godwit.core.mail;

import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/**
 * Mail for a session of this node. When the session was handed over to another shard meanwhile, the
 * previous owner forwards it. While a hand-over runs, the new owner holds direct mail until every
 * shard's marker has come through the previous owner, so that nothing overtakes what was on its way
 * there.
 *
 * @param <S> what the mail knows of the session
 */
public abstract class SessionMail<S extends Recipient> extends Mail {
    protected final S session;
    private boolean forwarded;

    protected SessionMail(S session) {
        this.session = session;
    }

    /**
     * Delivers the mail to the session, which is here, on this shard.
     *
     * @return false when there is more to do
     */
    public abstract boolean deliver(Shard at);

    /** How much of a slice the last call of {@link #deliver} took. */
    final int work() {
        return cost();
    }

    /** Whether the shard that the session has left has sent it on. */
    final boolean isForwarded() {
        return forwarded;
    }

    private static boolean isForwardedFrom(int from, int owner, Shard at) {
        return at.rules().holds(Rule.FORWARDING)
                && (from != owner || at.rules().holds(Rule.FORWARDING_BACK));
    }

    @Override
    public final boolean handle(Shard at, int from) {
        int owner = session.owner();
        if (owner != at.index()) {
            if (!isForwardedFrom(from, owner, at)) {
                return true;
            }
            forwarded = true;
            at.send(owner, this);
            return true;
        }
        HandOver handOver = session.handOver();
        if (handOver != null && handOver.holds(this, at)) {
            handOver.hold(this);
            at.hold(this);
            return true;
        }
        return deliver(at);
    }
}
