package io.godwit.core.session;

import io.godwit.core.id.Epoch;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import io.godwit.core.review.SessionEvents;
import io.godwit.core.review.SessionEvents.Cause;
import io.godwit.core.review.SessionEvents.Kind;
import io.godwit.core.session.SessionState.Ended;
import io.godwit.core.session.SessionState.Moving;
import io.godwit.core.session.SessionState.Offline;
import io.godwit.core.session.SessionState.Online;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.SessionRecord;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A session from its first CONNECT to its end: which {@link SessionState} it is in, and what is due
 * while it is offline.
 *
 * <p>Once transient it never is durable again: a transient session ends with its connection. One
 * that has a will is with the store all the same, while the will is owed, also beyond its end.
 *
 * <p>All transitions stand in this one class, so that each can be seen beside the others, and they
 * are many: hence its length.
 */
public final class SessionLife extends RecordedSession implements OfflineTimer.Listener {
    /** Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    private SessionState state;
    private long expirySeconds;
    private @Nullable OfflineTimer timer;

    /** Whether a client was promised it once: what happens to others is told to nobody. */
    private boolean isPromised;

    SessionLife(Session session, long expirySeconds) {
        super(session, session.context().serverId());
        this.state = new Offline(shard().wallMs());
        this.expirySeconds = expirySeconds;
    }

    private Shard shard() {
        return session.context().shard();
    }

    /** Changes the state; on the thread of the session's shard. */
    private void transitionTo(SessionState next) {
        shard().assertInside();
        begins(next);
    }

    /** Sets the first state; at start no shard has a thread yet that could be asserted. */
    private void begins(SessionState next) {
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
            case Ended ended -> {
                if (!isYielded()) {
                    shard().counters()
                            .increment(
                                    isAside() ? Metric.SESSIONS_SET_ASIDE : Metric.SESSIONS_ENDED);
                }
            }
        }
    }

    @Override
    SessionState state() {
        return state;
    }

    private boolean isEnded() {
        return state instanceof Ended;
    }

    /** It is here, and waits for its client. */
    public boolean isOffline() {
        return state instanceof Offline;
    }

    @Override
    public long expirySeconds() {
        return expirySeconds;
    }

    private void tell(Kind kind, Cause cause) {
        SessionEvents events = session.context().reviews().sessionEvents();
        if (events != null && isPromised) {
            events.happened(session.clientId(), ownerName(), expirySeconds, kind, cause);
        }
    }

    // ---------------------------------------------------------------- connection comes and goes

    /**
     * Gives the session to a connection; its CONNACK follows, then {@link Session#resume}.
     *
     * @return whether the CONNACK promises something that the store was told
     */
    public boolean attach(ClientLink link, ProtocolVersion version, long newExpirySeconds) {
        boolean told = hasRecord();
        transitionTo(new Online(link));
        session.attached(version);
        cancelTimer();
        replaceWill(link.will(), link.willKeeper());
        expiry(newExpirySeconds);
        putConnected();
        return told || hasRecord();
    }

    /** Notes that CONNACK promises it to its client. */
    public void promised() {
        boolean isNew = !isPromised;
        isPromised = true;
        tell(isNew ? Kind.CREATED : Kind.RESUMED, Cause.CONNECT);
    }

    /**
     * Notes that the session came here for a connection that is gone: it is offline from now on.
     */
    public void onAbandonedClaim() {
        transitionTo(new Offline(shard().wallMs()));
        putRecord();
        armTimer(shard().nowMs());
    }

    /** Sets the expiry that a DISCONNECT carries (MQTT 5.0, 3.14.2.2.2). */
    public void expiry(long seconds) {
        boolean wasDurable = session.isDurable();
        expirySeconds = seconds;
        session.becomesDurable(seconds > 0);
        if (wasDurable && seconds == 0) {
            beginsToLeave();
        }
    }

    /**
     * Returns what sets another expiry, in seconds, of the session that is offline now; it does
     * nothing any more once a connection, another owner or the end has come.
     */
    public LongConsumer expiryWhileOffline() {
        SessionState offline = state;
        return seconds -> {
            if (state == offline && offline instanceof Offline) {
                expiry(seconds);
                if (seconds == 0) {
                    end(true);
                } else {
                    putRecord();
                    armTimer(shard().nowMs());
                }
            }
        };
    }

    /**
     * Takes the session offline, or ends it: its connection is gone.
     *
     * @param publishWill whether the will is still wanted: not after DISCONNECT 0x00
     */
    public void onConnectionLost(ClientLink lost, boolean publishWill) {
        if (!(state instanceof Online online) || online.link() != lost) {
            return;
        }
        detach(lost);
        if (!publishWill) {
            replaceWill(null, null);
        }
        if (expirySeconds == 0) {
            end(true);
            return;
        }
        if (willDelayMs() == 0) {
            publishWill();
        }
        putRecord();
        armTimer(lost.goneAtMs());
    }

    private void detach(ClientLink lost) {
        transitionTo(new Offline(shard().wallMs()));
        session.detached(lost);
    }

    /**
     * Publishes the will of a connected client since the broker stops, unless the session, and the
     * will's delay with it, goes on after the restart.
     */
    public void onShutdown() {
        if (!goesOnAfterRestart()) {
            publishWill();
            if (wills() == null) {
                putRecord(); // Nobody waits for one of QoS 0: it must not come again.
            }
        }
    }

    /**
     * Notes that its connection ends now, since the broker stops: from here on its expiry and its
     * will's delay count.
     */
    public void disconnectedAtShutdown() {
        if (goesOnAfterRestart()) {
            putRecord(shard().wallMs());
        }
    }

    private boolean goesOnAfterRestart() {
        return session.isDurable() && session.context().keepsSessions();
    }

    /**
     * Ends the session: subscriptions, queue and will go with it. Its client id gets no other
     * session before the store has kept that.
     */
    public void end(boolean tellRegistrar) {
        end(tellRegistrar, Cause.CONNECTION_ENDED);
    }

    /** Ends the session, as {@link #end(boolean)} does, for a reason. */
    public void end(boolean tellRegistrar, Cause cause) {
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
        tell(cause == Cause.EXPIRY ? Kind.EXPIRED : Kind.ENDED, cause);
        if (tellRegistrar) {
            tellRegistrar();
        }
    }

    private void tellRegistrar() {
        if (endToldIn() == 0) {
            session.context().outside().ended(session);
            return;
        }
        shard().afterCommit(
                        session.copySet(),
                        isKept -> {
                            if (isKept) {
                                session.context().outside().ended(session);
                            }
                        });
    }

    // ---------------------------------------------------------------- what is due while offline

    /** Whether the timer would have something to do after so long offline. */
    public boolean isDue(long offlineMs) {
        return isExpired(offlineMs) || offlineMs >= willDelayMs();
    }

    /**
     * Milliseconds offline after which the will is published by this start. Clients of a node that
     * leaves were told to go elsewhere: one without delay waits for the next start.
     */
    private long willDueMs() {
        return isWillSuppressed() ? Long.MAX_VALUE : willDelayMs();
    }

    private boolean isWillSuppressed() {
        return session.context().isNodeLeaving() && willDelayMs() == 0;
    }

    private boolean isExpired(long offlineMs) {
        return expirySeconds != NEVER && offlineMs >= expirySeconds * 1000;
    }

    /**
     * Arms the timer for the next of will delay and expiry.
     *
     * @param sinceMs monotonic milliseconds at which it went offline; counts when no timer runs yet
     */
    private void armTimer(long sinceMs) {
        long expiryMs = expirySeconds == NEVER ? Long.MAX_VALUE : expirySeconds * 1000;
        long afterMs = Math.min(expiryMs, willDueMs());
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
        if (offlineMs >= willDueMs()) {
            publishWill();
            putRecord();
        }
        if (isExpired(offlineMs)) {
            if (session.isDurable()) {
                shard().counters().increment(Metric.SESSIONS_EXPIRED);
            }
            expires();
            end(true, Cause.EXPIRY);
        } else {
            armTimer(shard().nowMs());
        }
    }

    /** Does what is due, though the tick, or the start, has not come to it. */
    public void catchUp() {
        publishWillAgain();
        OfflineTimer armed = timer;
        if (armed != null) {
            onOfflineTimer(shard().nowMs() - armed.sinceMs());
        }
    }

    // ---------------------------------------------------------------- takeover

    /**
     * Ends the connection since a newer one has claimed the session, and does what is due. With
     * Clean Start, and when it is transient, the session ends, too.
     */
    public void loseConnectionToNewer(boolean cleanStart) {
        boolean ends = cleanStart || expirySeconds == 0;
        if (state instanceof Online online) {
            shard().counters().increment(Metric.TAKEOVERS, session.version());
            online.link().takenOver();
            detach(online.link());
            if (!ends) {
                if (willDueMs() == 0) {
                    publishWill();
                    putRecord();
                }
                armTimer(online.link().goneAtMs());
            }
        }
        if (!ends && isWillSuppressed()) {
            replaceWill(null, null);
            putRecord();
        }
        catchUp();
        if (ends) {
            end(false, cleanStart ? Cause.CLEAN_START : Cause.CONNECTION_ENDED);
        }
    }

    /**
     * Whether the session gives way to a Clean Start elsewhere: its last CONNECT came before, and
     * it has no connection.
     *
     * @param clock of the stamp of that Clean Start
     */
    public boolean isOlderThan(long clock) {
        return !(state instanceof Online) && isConnectedBefore(clock);
    }

    /**
     * Ends the connection since the node leaves its cluster. A durable session stays, and so does a
     * will without delay: until the client is back, or until the next start.
     */
    public void sendElsewhere(Goodbye goodbye) {
        if (!(state instanceof Online online)) {
            return;
        }
        online.link().onShutdown(goodbye);
        detach(online.link());
        if (expirySeconds == 0) {
            end(true);
            return;
        }
        putRecord();
        armTimer(online.link().goneAtMs());
    }

    /** Gives the session up for another owner; what is owed goes with it. */
    void leave(int newOwner) {
        cancelTimer();
        willsLeave(newOwner);
        transitionTo(new Moving(state.offlineSinceMs()));
    }

    /** Takes the session up on its new shard. */
    void arrive() {
        arriveRecord();
        transitionTo(new Offline(state.offlineSinceMs()));
    }

    // ---------------------------------------------------------------- set aside

    /**
     * Sets the session aside: another session of its client id counts. Its connection ends, and
     * what it has stays in the store, for nobody. A transient session ends.
     */
    public void setAside() {
        loseConnectionToNewer(false);
        if (isEnded()) {
            tellRegistrar();
            return;
        }
        cancelTimer();
        putAside();
        transitionTo(new Ended(state.offlineSinceMs()));
        session.awaitNoMore();
        session.leaveMemory();
        letGoOfWills();
        tell(Kind.ENDED, Cause.REPLACED);
        tellRegistrar();
    }

    /**
     * Makes the session a copy of another node's, which has taken its slot over: its connection
     * ends, and nothing of it is in memory any more. Nothing is published, acknowledged or deleted.
     * A session that is not kept ends.
     *
     * @param leader epoch under which the other node leads the session's queue
     */
    public void yieldTo(Epoch leader) {
        if (isEnded()) {
            return;
        }
        if (!hasRecord() || !session.context().keepsSessions()) {
            setAside();
            return;
        }
        if (state instanceof Online online) {
            online.link().onShutdown(Goodbye.SHUTTING_DOWN);
            detach(online.link());
        }
        cancelTimer();
        session.leaveGroupQueues(); // What that tells the store comes before.
        putYielded(leader);
        transitionTo(new Ended(state.offlineSinceMs()));
        session.awaitNoMore();
        session.leaveMemory();
        letGoOfWills();
        tell(Kind.MOVED_AWAY, Cause.LEADER_CHANGED);
        // Followers need not confirm it: they follow the other node.
        shard().afterCommitHere(isKept -> {
            if (isKept) {
                session.context().outside().ended(session);
            }
        });
    }

    // ---------------------------------------------------------------- restart

    /**
     * Takes up a session as it stood when the broker stopped, offline by now; called at start. Time
     * went on meanwhile, by the wall clock.
     *
     * @return milliseconds for which it has been offline
     */
    public long recovered(SessionRecord record, long wallMs) {
        takeUp(record, wallMs);
        isPromised = true;
        return countFrom(wallMs);
    }

    /**
     * Takes up the session of a copy that this node adopts, offline by now. Nothing is due before
     * {@link #goOn}: what it has may not be complete yet.
     */
    public void takeUp(SessionRecord record, long wallMs) {
        recover(record);
        boolean wasOnline = record.disconnectedAtMs() == 0;
        begins(new Offline(wasOnline ? wallMs : record.disconnectedAtMs()));
        if (wasOnline) {
            putOfflineAtStart();
        }
    }

    /**
     * Begins to count what is due of a session that was taken up from another node's copy.
     *
     * @return milliseconds for which it has been offline
     */
    public long goOn(long wallMs) {
        isPromised = true;
        tell(Kind.MOVED_HERE, Cause.LEADER_CHANGED);
        return countFrom(wallMs);
    }

    private long countFrom(long wallMs) {
        long offlineMs = Math.max(0, wallMs - state.offlineSinceMs());
        armTimer(shard().nowMs() - offlineMs);
        return offlineMs;
    }

    /**
     * Takes up what is left of a session that was transient and has ended with the broker or
     * before: its wills are still to be published. Called at start.
     */
    public void recoveredEnded(SessionRecord record, long wallMs) {
        recover(record);
        willIsOfEarlierStart();
        begins(new Ended(record.disconnectedAtMs() == 0 ? wallMs : record.disconnectedAtMs()));
        putRecord();
    }

    /**
     * Publishes the Will of a transient session that was at another node. Of the session there is
     * nothing here but this Will, until every target has it.
     *
     * @param isKept whether the store gets a record of it
     */
    public void publishWillOf(Will gone, boolean isKept) {
        begins(new Ended(shard().wallMs()));
        replaceWill(gone, null);
        if (isKept) {
            putRecord();
        }
        publishWill();
        if (isKept) {
            putRecord();
        }
    }

    private void recover(SessionRecord record) {
        recoverRecord(record);
        recoverWills(record);
    }
}
