package io.godwit.core.session;

import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/**
 * Mail for a session. The session may have moved since: then the old owner forwards it. While a
 * hand-over runs the new owner holds what came directly until every shard's marker has come round
 * through the old owner, so that nothing overtakes what was on its way there (design section 3).
 */
abstract class SessionMail extends Mail {
    final Session session;
    private boolean forwarded;

    SessionMail(Session session) {
        this.session = session;
    }

    /**
     * @return false when there is more to do
     */
    abstract boolean deliver(SessionShard at);

    @Override
    protected final boolean handle(Shard shard, int from) {
        SessionShard at = (SessionShard) shard;
        int owner = session.owner();
        if (owner != at.index()) {
            if (!at.rules().holds(Rule.FORWARDING)) {
                return true;
            }
            forwarded = true;
            at.send(owner, this);
            return true;
        }
        HandOver handOver = session.handOver();
        if (handOver != null && !forwarded && handOver.holds(at.rules())) {
            handOver.hold(this);
            return true;
        }
        return deliver(at);
    }
}
