package io.godwit.core.session;

import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import io.godwit.core.session.SessionState.Ended;
import io.godwit.core.session.SessionState.Moving;
import io.godwit.core.session.SessionState.Offline;
import io.godwit.core.session.SessionState.Online;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session from its first CONNECT to its end: which {@link SessionState} it is in, what is due
 * while it is offline, its wills, and what the store is told of all that.
 *
 * <p>Once transient it never is durable again: a transient session ends with its connection. One
 * that has a will is with the store all the same, while the will is owed, also beyond its end.
 */
public final class SessionLife extends StoredSession
        implements OfflineTimer.Listener, OwedWill.Listener {
    /** Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    private SessionState state;
    private long expirySeconds;
    private @Nullable SessionWill will;
    private @Nullable OfflineTimer timer;

    SessionLife(Session session, long expirySeconds) {
        super(session, session.context().serverId());
        this.state = new Offline(shard().wallMs());
        this.expirySeconds = expirySeconds;
    }

    private Shard shard() {
        return session.context().shard();
    }

    private void transitionTo(SessionState next) {
        SessionState before = state;
        if (!before.mayBecome(next)) {
            throw new IllegalStateException(
                    session.clientId() + " was " + before + ", not " + next);
        }
        state = next;
        session.onState(next instanceof Online online ? online.link() : null, isEnded());
        if (before instanceof Online) {
            session.context().load().online(-1);
        }
        switch (next) {
            case Online online -> session.context().load().online(1);
            case Offline offline -> {}
            case Moving moving -> shard().counters().increment(Metric.SESSIONS_HANDED_OVER);
            case Ended ended -> shard().counters().increment(Metric.SESSIONS_ENDED);
        }
    }

    @Override
    SessionState state() {
        return state;
    }

    private boolean isEnded() {
        return state instanceof Ended;
    }

    @Override
    public long expirySeconds() {
        return expirySeconds;
    }

    // ---------------------------------------------------------------- connection comes and goes

    /**
     * A connection takes the session; its CONNACK follows, then {@link Session#resume}.
     *
     * @return whether the CONNACK promises something that the store was told
     */
    public boolean attach(ClientLink link, ProtocolVersion version, long newExpirySeconds) {
        boolean told = isStored();
        transitionTo(new Online(link));
        session.attached(version);
        cancelTimer();
        replaceWill(link.will());
        expiry(newExpirySeconds);
        putRecord();
        return told || isStored();
    }

    /** It came here for a connection that is gone: it is offline, from now on. */
    public void onAbandonedClaim() {
        transitionTo(new Offline(shard().wallMs()));
        putRecord();
        armTimer(shard().nowMs());
    }

    /** DISCONNECT may carry another expiry (MQTT 5.0, 3.14.2.2.2). */
    public void expiry(long seconds) {
        boolean wasDurable = session.isDurable();
        expirySeconds = seconds;
        session.becomesDurable(seconds > 0);
        if (wasDurable && seconds == 0) {
            beginsToLeave();
        }
    }

    /**
     * The connection is gone.
     *
     * @param publishWill whether the will is still wanted: not after DISCONNECT 0x00
     */
    public void onConnectionLost(ClientLink lost, boolean publishWill) {
        if (!(state instanceof Online online) || online.link() != lost) {
            return;
        }
        detach(lost);
        if (!publishWill) {
            replaceWill(null);
        }
        if (expirySeconds == 0) {
            end(true);
            return;
        }
        if (willDelayMs() == 0) {
            publishWill();
        }
        putRecord();
        armTimer(shard().nowMs());
    }

    private void detach(ClientLink lost) {
        transitionTo(new Offline(shard().wallMs()));
        session.detached(lost);
    }

    /**
     * The broker stops: the will of one that is connected is published, unless the session, and the
     * will's delay with it, go on after the restart.
     */
    public void onShutdown() {
        if (session.isDurable() && session.context().keepsSessions()) {
            putRecord(shard().wallMs());
        } else {
            publishWill();
            if (will == null) {
                putRecord(); // Nobody waits for one of QoS 0: it must not come again.
            }
        }
    }

    /**
     * The session is over: subscriptions, queue and will go with it. Its client id gets no other
     * session before the store has kept that.
     */
    public void end(boolean tellRegistrar) {
        if (isEnded()) {
            return;
        }
        boolean wasDurable = session.isDurable();
        transitionTo(new Ended(state.offlineSinceMs()));
        publishWill();
        cancelTimer();
        putRecord();
        if (wasDurable) {
            session.awaitNoMore();
        }
        session.drop();
        if (tellRegistrar) {
            tellRegistrar();
        }
    }

    private void tellRegistrar() {
        if (endToldIn() == 0) {
            session.context().ended(session);
            return;
        }
        shard().afterCommit(durable -> {
            if (durable) {
                session.context().ended(session);
            }
        });
    }

    // ---------------------------------------------------------------- what is due while offline

    /** Whether the timer has something to do. */
    public boolean isDue(long offlineMs) {
        return isExpired(offlineMs) || offlineMs >= willDelayMs();
    }

    private boolean isExpired(long offlineMs) {
        return expirySeconds != NEVER && offlineMs >= expirySeconds * 1000;
    }

    /**
     * The next of will delay and expiry.
     *
     * @param sinceMs monotonic milliseconds at which it went offline; counts when no timer runs yet
     */
    private void armTimer(long sinceMs) {
        long expiryMs = expirySeconds == NEVER ? Long.MAX_VALUE : expirySeconds * 1000;
        long afterMs = Math.min(expiryMs, willDelayMs());
        if (afterMs == Long.MAX_VALUE) {
            return;
        }
        OfflineTimer armed = timer;
        if (armed == null) {
            armed = new OfflineTimer(this, sinceMs);
            timer = armed;
        }
        shard().timers().arm(armed, armed.sinceMs() + afterMs);
    }

    private void cancelTimer() {
        OfflineTimer armed = timer;
        if (armed != null) {
            shard().timers().cancel(armed);
            timer = null;
        }
    }

    @Override
    public void onOfflineTimer(long offlineMs) {
        if (!(state instanceof Offline)) {
            return;
        }
        if (offlineMs >= willDelayMs()) {
            publishWill();
            putRecord();
        }
        if (isExpired(offlineMs)) {
            if (session.isDurable()) {
                shard().counters().increment(Metric.SESSIONS_EXPIRED);
            }
            expires();
            end(true);
        } else {
            armTimer(shard().nowMs());
        }
    }

    /** What is due, though the tick, or the start, has not come to it. */
    public void catchUp() {
        publishWillAgain();
        OfflineTimer armed = timer;
        if (armed != null) {
            onOfflineTimer(shard().nowMs() - armed.sinceMs());
        }
    }

    // ---------------------------------------------------------------- its wills

    @Override
    @Nullable SessionWill wills() {
        return will;
    }

    private void replaceWill(@Nullable Will newWill) {
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

    private long willDelayMs() {
        return will == null ? Long.MAX_VALUE : will.delayMs();
    }

    private void publishWill() {
        if (will != null) {
            will.publish(isStored());
            dropEmptyWill();
        }
    }

    /** Wills that are published, or to be published, and not taken in by everyone. */
    public int owedWills() {
        return will == null ? 0 : will.owedCount();
    }

    /** Goes on with wills that were owed when the broker stopped. */
    public void publishWillAgain() {
        if (will == null) {
            return;
        }
        if (isEnded()) {
            will.publish(true);
        }
        will.publishAgain();
        dropEmptyWill();
        if (isEnded()) {
            putRecord();
        }
    }

    @Override
    public void onWillTaken(OwedWill taken) {
        if (will != null) {
            will.taken(taken);
            dropEmptyWill();
        }
        putRecord();
        if (!isEnded()) {
            leaveStore();
        }
    }

    // ---------------------------------------------------------------- takeover

    /**
     * A newer connection has claimed the session: the older one ends, and what is due is done. With
     * Clean Start, and when it is transient, the session ends, too.
     */
    public void loseConnectionToNewer(boolean cleanStart) {
        boolean ends = cleanStart || expirySeconds == 0;
        if (state instanceof Online online) {
            shard().counters().increment(Metric.TAKEOVERS, session.version());
            online.link().takenOver();
            detach(online.link());
            if (willDelayMs() == 0 && !ends) {
                publishWill();
                putRecord();
            }
        }
        catchUp();
        if (ends) {
            end(false);
        }
    }

    /** Its owner gives it up; what is owed goes with it. */
    void leave(int newOwner) {
        cancelTimer();
        if (will != null) {
            will.leaveShard(newOwner);
        }
        transitionTo(new Moving(state.offlineSinceMs()));
    }

    /** It is on its new shard. */
    void arrive() {
        arriveRecord();
        transitionTo(new Offline(state.offlineSinceMs()));
    }

    // ---------------------------------------------------------------- restart

    /**
     * At start: as it stood when the broker stopped, offline by now. Time went on meanwhile, by the
     * wall clock.
     *
     * @return milliseconds for which it has been offline
     */
    public long recovered(SessionRecord record, long wallMs) {
        recover(record);
        long sinceMs = record.disconnectedAtMs() == 0 ? wallMs : record.disconnectedAtMs();
        transitionTo(new Offline(sinceMs));
        if (record.disconnectedAtMs() == 0) {
            putRecord();
        }
        long offlineMs = Math.max(0, wallMs - sinceMs);
        armTimer(shard().nowMs() - offlineMs);
        return offlineMs;
    }

    /**
     * At start: it was transient, and has ended with the broker or before. Its wills are still to
     * be published.
     */
    public void recoveredEnded(SessionRecord record, long wallMs) {
        recover(record);
        transitionTo(
                new Ended(record.disconnectedAtMs() == 0 ? wallMs : record.disconnectedAtMs()));
        putRecord();
    }

    private void recover(SessionRecord record) {
        recoverRecord(record);
        KeptWill waiting = record.will();
        if (waiting != null || !record.owedWills().isEmpty()) {
            will().recover(waiting, record.owedWills());
        }
    }

    /** At start: the will was being published when the broker crashed. */
    public void recoverWill(Inbound begun) {
        will().recover(begun);
    }

    /** At start: which of its wills queues may remember. */
    public List<IngressId> willsThatMayBeRemembered() {
        return will == null ? List.of() : will.mayBeRemembered();
    }

    /** At start: these do. */
    public void willTakenBy(IngressId id, Takers takers) {
        will().takenBy(id, takers);
    }
}
