package io.godwit.core.session;

import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's life as the store is told of it: a record while it is durable, or is to become
 * transient, or owes a will: that of its connection, or those that are published, or to be
 * published, and not taken in by everyone. A class of its own, and no object, since every session
 * has one; most have no will, and then nothing is made for it.
 */
abstract class RecordedSession implements OwedWill.Listener {
    final Session session;
    private @Nullable SessionWill will;

    /** Whether the store has a record: it may have been durable once, or owe a will. */
    private boolean hasRecord;

    /** The commit, of its last shard, in which the store was told that it ends; 0: in none. */
    private long endToldIn;

    /** Of the record that was written last; null before the first. */
    private @Nullable HybridId stamp;

    /** Server id of the CONNECT that created it. */
    private int generationServer;

    private long homeChanges;

    /** It ends by its expiry, which counts from its disconnect. */
    private boolean hasExpired;

    RecordedSession(Session session, int serverId) {
        this.session = session;
        this.generationServer = serverId;
    }

    /** At start: the store has told of it. */
    final void recoverRecord(SessionRecord record) {
        hasRecord = true;
        stamp = record.stamp();
        generationServer = record.generation().server();
        homeChanges = record.epoch().changes();
        session.context().ids().observe(record.stamp());
    }

    /** It is on another shard: what is written from now on is later than what was. */
    final void arriveRecord() {
        HybridId told = stamp;
        if (told != null) {
            session.context().ids().observe(told);
        }
    }

    final SessionKey key() {
        return new SessionKey(
                session.queueId(), new HybridId(session.generation(), generationServer));
    }

    final void expires() {
        hasExpired = true;
    }

    final boolean hasRecord() {
        return hasRecord;
    }

    /**
     * Number of its shard's commit in which the store was told that it has ended, or to forget it;
     * 0: in none.
     */
    public final long endToldIn() {
        return endToldIn;
    }

    abstract SessionState state();

    abstract long expirySeconds();

    /** Tells the store how it stands with the session, or to forget what is not to be kept. */
    final void putRecord() {
        putRecord(state().offlineSinceMs());
    }

    /**
     * The same for one that goes offline with the broker.
     *
     * @param offlineSinceMs epoch milliseconds; 0 while it is online
     */
    final void putRecord(long offlineSinceMs) {
        SessionRecord record = record(offlineSinceMs, session.context().ids().stamp());
        boolean lives = !session.isEnded() && (session.isDurable() || session.leavesStore);
        if (!lives && record.will() == null && record.owedWills().isEmpty()) {
            forget();
            return;
        }
        hasRecord = true;
        stamp = record.stamp();
        session.store().putSession(session.clientId(), record);
        if (session.isEnded() && endToldIn == 0) {
            endToldIn = session.store().openCommit();
        }
    }

    /** How it stands with the session now, as the store was told of it last. */
    final SessionRecord record() {
        HybridId told = stamp;
        return record(state().offlineSinceMs(), told == null ? key().generation() : told);
    }

    private SessionRecord record(long offlineSinceMs, HybridId at) {
        SessionWill wills = will;
        return new SessionRecord(
                session.queueId(),
                key().generation(),
                at,
                session.context().ids().epoch(homeChanges),
                session.version(),
                session.isEnded() ? 0 : expirySeconds(),
                offlineSinceMs,
                wills == null ? null : wills.waiting(),
                wills == null ? List.of() : wills.owed());
    }

    /** It is not durable any more. */
    final void beginsToLeave() {
        session.leavesStore = true;
        leaveStore();
        if (session.leavesStore) {
            putRecord(); // That it ends with its connection.
        }
        session.awaitNoMore();
    }

    /**
     * One that is not durable any more leaves the store, but not while there are rows that it still
     * has to get, nor while it owes a will: who has got that is kept with the queue id.
     */
    final void leaveStore() {
        SessionWill wills = will;
        boolean owes = wills != null && wills.owedCount() > 0;
        if (session.leavesStore && !owes && session.queueMayLeaveStore()) {
            session.leavesStore = false;
            forget();
            session.queueLeavesStore();
            putRecord(); // That of its will.
        }
    }

    private void forget() {
        if (hasRecord) {
            hasRecord = false;
            session.store().removeSession(session.clientId(), session.queueId(), endStamp());
            endToldIn = session.store().openCommit();
        }
    }

    /** Of an expiry: that of the disconnect from which it counts. */
    private HybridId endStamp() {
        HybridId disconnected = stamp;
        return hasExpired && disconnected != null ? disconnected : session.context().ids().stamp();
    }

    // ---------------------------------------------------------------- its wills

    /** The wills of the session, or null when there is none. */
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

    /**
     * Milliseconds offline after which its will is due; {@link Long#MAX_VALUE} when it has none.
     */
    final long willDelayMs() {
        return will == null ? Long.MAX_VALUE : will.delayMs();
    }

    /** Its will is due, if it has one. */
    final void publishWill() {
        if (will != null) {
            will.publish(hasRecord());
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
    public final void recoverWill(Inbound begun) {
        will().recover(begun);
    }

    /** At start: which of its wills queues may remember. */
    public final List<IngressId> willsThatMayBeRemembered() {
        return will == null ? List.of() : will.mayBeRemembered();
    }

    /** At start: these do. */
    public final void willTakenBy(IngressId id, Takers takers) {
        will().takenBy(id, takers);
    }
}
