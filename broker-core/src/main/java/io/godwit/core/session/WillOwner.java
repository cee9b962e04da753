package io.godwit.core.session;

import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.SessionRecord;
import org.jspecify.annotations.Nullable;

/**
 * A session as the owner of its wills: the one that its connection brought, and those that are
 * published, or to be published, and not taken in by everyone. Most sessions have none, and then
 * nothing is made for them.
 */
abstract class WillOwner extends StoredSession implements OwedWill.Listener {
    private @Nullable SessionWill will;

    WillOwner(Session session, int serverId) {
        super(session, serverId);
    }

    @Override
    final @Nullable SessionWill wills() {
        return will;
    }

    /** The connection has another will, or none. */
    final void replaceWill(@Nullable Will newWill) {
        if (newWill != null || will != null) {
            will().replace(newWill);
            dropEmptyWill();
        }
    }

    private SessionWill will() {
        SessionWill made = will;
        if (made == null) {
            made = new SessionWill(session);
            will = made;
        }
        return made;
    }

    private void dropEmptyWill() {
        if (will != null && will.isEmpty()) {
            will = null;
        }
    }

    /** Milliseconds offline after which its will is due; {@link Long#MAX_VALUE} when it has none. */
    final long willDelayMs() {
        return will == null ? Long.MAX_VALUE : will.delayMs();
    }

    /** Its will is due, if it has one. */
    final void publishWill() {
        if (will != null) {
            will.publish(isStored());
            dropEmptyWill();
        }
    }

    /** Wills that are published, or to be published, and not taken in by everyone. */
    public final int owedWills() {
        return will == null ? 0 : will.owedCount();
    }

    /** Goes on with wills that were owed when the broker stopped. */
    public final void publishWillAgain() {
        if (will == null) {
            return;
        }
        if (session.isEnded()) {
            will.publish(true);
        }
        will.publishAgain();
        dropEmptyWill();
        if (session.isEnded()) {
            putRecord();
        }
    }

    @Override
    public final void onWillTaken(OwedWill taken) {
        if (will != null) {
            will.taken(taken);
            dropEmptyWill();
        }
        putRecord();
        if (!session.isEnded()) {
            leaveStore();
        }
    }

    /** The session goes to another shard, and what its wills wait for goes with it. */
    final void willsLeave(int newOwner) {
        if (will != null) {
            will.leaveShard(newOwner);
        }
    }

    // ---------------------------------------------------------------- at start

    final void recoverWills(SessionRecord record) {
        KeptWill waiting = record.will();
        if (waiting != null || !record.owedWills().isEmpty()) {
            will().recover(waiting, record.owedWills());
        }
    }

    /** At start: the will was being published when the broker crashed. */
    public final void recoverWill(KeptInbound begun) {
        will().recover(begun);
    }
}
