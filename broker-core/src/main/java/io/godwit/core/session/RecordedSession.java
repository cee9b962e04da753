package io.godwit.core.session;

import io.godwit.core.ack.Takers;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.Will;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that is kept as its record: while it is durable, or is to become transient,
 * or owes a will: that of its connection, or those that are due and that not every target has taken
 * in. A class of its own, and no object, since every session has one; most have no will, and then
 * nothing is made for it.
 */
abstract class RecordedSession implements OwedWill.Listener, WillKeeper.Passed {
    final Session session;
    private @Nullable SessionWill will;

    /** Whether a record is kept: the session may have been durable once, or owe a will. */
    private boolean hasRecord;

    /**
     * Number of its shard's commit in which the store was told that the session ends; 0: in none.
     */
    private long endToldIn;

    /** The stamp of the record that was written last; null before the first. */
    private @Nullable HybridId stamp;

    /**
     * Clock of the stamp of the last CONNECT; after a start that of the record that was kept, which
     * is not below it.
     */
    private long connectedAt;

    /** Server id of the CONNECT that created it. */
    private int generationServer;

    /** The user who made the session; null: anonymous. */
    private @Nullable String ownerName;

    /** Whether the session is set aside: its record says so, and is not forgotten. */
    private boolean isAside;

    /** Whether the session is a copy of another node's: its record is that node's. */
    private boolean isYielded;

    /** Whether the session ends by its expiry, which counts from its disconnect. */
    private boolean hasExpired;

    RecordedSession(Session session, int serverId) {
        this.session = session;
        this.generationServer = serverId;
    }

    /** Takes up the record that was kept; called at start. */
    final void recoverRecord(SessionRecord record) {
        hasRecord = true;
        stamp = record.stamp();
        connectedAt = record.stamp().clock();
        generationServer = record.generation().server();
        ownerName = record.owner();
        session.context().ids().observe(record.stamp());
    }

    /** The name of the user whose session it is; null: nobody's. */
    public final @Nullable String ownerName() {
        return ownerName;
    }

    /** Notes whose the session is, if it is nobody's yet; before its record is written. */
    public final void belongsTo(@Nullable String userName) {
        if (ownerName == null) {
            ownerName = userName;
        }
    }

    /** Tells the store the record of a session that a connection has taken. */
    final void putConnected() {
        putRecord();
        HybridId written = stamp;
        connectedAt = written == null ? 0 : written.clock();
    }

    /**
     * Whether its last CONNECT came before a stamp.
     *
     * @param clock of the stamp
     */
    final boolean isConnectedBefore(long clock) {
        return Long.compareUnsigned(connectedAt, clock) < 0;
    }

    /**
     * Notes that the session is on another shard now: its next stamps are above those it has had,
     * and wills that are due are published from here.
     */
    final void arriveRecord() {
        HybridId told = stamp;
        if (told != null) {
            session.context().ids().observe(told);
        }
        goOnWithWills();
    }

    /** Publishes what is due and was not published where the session was before. */
    final void goOnWithWills() {
        if (will != null) {
            will.arrive();
            dropEmptyWill();
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
     * Number of its shard's commit in which the store was told that the session has ended, or to
     * forget it; 0: in none.
     */
    public final long endToldIn() {
        return endToldIn;
    }

    abstract SessionState state();

    abstract long expirySeconds();

    /** Tells the store the session's record, or to forget it when it is not to be kept. */
    final void putRecord() {
        putRecord(state().offlineSinceMs());
    }

    /**
     * Tells the store the record of a session that goes offline with the broker.
     *
     * @param offlineSinceMs epoch milliseconds; 0 while it is online
     */
    final void putRecord(long offlineSinceMs) {
        putRecord(offlineSinceMs, session.context().ids().stamp());
    }

    /**
     * Tells the store that the session is offline since this start, under the stamp that it has:
     * its client has done nothing.
     */
    final void putOfflineAtStart() {
        HybridId kept = stamp;
        putRecord(state().offlineSinceMs(), kept == null ? session.context().ids().stamp() : kept);
    }

    private void putRecord(long offlineSinceMs, HybridId at) {
        if (isYielded) {
            return;
        }
        SessionRecord record = record(offlineSinceMs, at);
        boolean lives = !session.isEnded() && (session.isDurable() || session.leavesStore);
        if (!lives && !isAside && record.will() == null && record.owedWills().isEmpty()) {
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

    final boolean isAside() {
        return isAside;
    }

    /** Tells the store that the session is set aside; its end follows. */
    final void putAside() {
        isAside = true;
        putRecord();
        endToldIn = session.store().openCommit();
    }

    final boolean isYielded() {
        return isYielded;
    }

    /** Tells the store that another node leads the session; its end follows. */
    final void putYielded(Epoch leader) {
        isYielded = true;
        long before = session.predecessorId();
        if (before != 0) {
            session.store().yieldTo(before, leader);
        }
        session.store().yieldTo(session.queueId(), leader);
        endToldIn = session.store().openCommit();
    }

    private SessionRecord record(long offlineSinceMs, HybridId at) {
        SessionWill wills = will;
        return new SessionRecord(
                session.queueId(),
                key().generation(),
                at,
                session.context().ids().epoch(),
                session.version(),
                session.isEnded() && !isAside ? 0 : expirySeconds(),
                offlineSinceMs,
                wills == null ? null : wills.waiting(),
                wills == null ? List.of() : wills.owed(),
                isAside,
                ownerName);
    }

    /** Notes that the session is not durable any more. */
    final void beginsToLeave() {
        session.leavesStore = true;
        leaveStore();
        if (session.leavesStore) {
            putRecord(); // That it ends with its connection.
        }
        session.awaitNoMore();
    }

    /**
     * Takes a session that is not durable any more out of the store, but not while there are rows
     * that it still has to get, nor while it owes a will: which targets have got that is kept with
     * the queue id.
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

    /**
     * The stamp of the session's end; of an expiry, that of the disconnect from which it counts.
     */
    private HybridId endStamp() {
        HybridId disconnected = stamp;
        return hasExpired && disconnected != null ? disconnected : session.context().ids().stamp();
    }

    // ---------------------------------------------------------------- its wills

    /** The wills of the session, or null when there is none. */
    final @Nullable SessionWill wills() {
        return will;
    }

    /**
     * Takes the will of a new connection, or none, in place of the last one's.
     *
     * @param by knows who publishes it; null: this node
     */
    final void replaceWill(@Nullable Will newWill, @Nullable WillKeeper by) {
        if (newWill != null || will != null) {
            will().replace(newWill, by);
            dropEmptyWill();
        }
    }

    /** Whether the will of the session's connection is kept, and a crash would publish it. */
    public final boolean isWillKept() {
        return hasRecord && will != null && will.waiting() != null;
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
     * Milliseconds offline after which the session's will is due; {@link Long#MAX_VALUE} when there
     * is none.
     */
    final long willDelayMs() {
        return will == null ? Long.MAX_VALUE : will.delayMs();
    }

    /** Publishes the will, which is due, if there is one. */
    final void publishWill() {
        if (will != null) {
            will.publish(hasRecord(), this);
            dropEmptyWill();
        }
    }

    /** Asks who publishes the will of a transient session that has ended with an earlier start. */
    final void willIsOfEarlierStart() {
        if (will != null) {
            will.isOfEarlierStart();
        }
    }

    @Override
    public final void publish() {
        if (will != null && !isYielded) {
            will.publishPassed(hasRecord());
            dropEmptyWill();
        }
        putRecord();
    }

    @Override
    public final void settled() {
        if (will != null) {
            will.settled();
            dropEmptyWill();
        }
        putRecord();
    }

    /** How many wills are due and not taken in by every target. */
    public final int owedWills() {
        return will == null ? 0 : will.owedCount();
    }

    /** Goes on with wills that were owed when the broker stopped. */
    public final void publishWillAgain() {
        if (will == null || isYielded) {
            return;
        }
        if (session.isEnded() && !isAside) {
            will.publish(true, this);
        }
        if (will != null) { // Nobody may have been there to get it.
            will.publishAgain();
            dropEmptyWill();
        }
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
        releaseWhenKept(taken);
        if (isAside || isYielded) {
            letGoOfWills();
        } else if (!session.isEnded()) {
            leaveStore();
        }
    }

    /**
     * Has the targets of a will forget it once the followers of the session know that it is over:
     * whoever takes over earlier publishes it again. So does a node that has taken over already; it
     * says itself when it is over.
     */
    private void releaseWhenKept(OwedWill taken) {
        Shard shard = session.context().shard();
        shard.afterCommit(
                session.copySet(),
                isKept -> {
                    Takers takers = isYielded ? taken.takeTakers() : null;
                    if (takers != null) {
                        IngressId id = taken.will.ingress();
                        session.context().letGo(new HashMap<>(Map.of(id, takers)));
                    } else if (isKept && !isYielded) {
                        taken.release(shard);
                    }
                });
    }

    /** Publishes the Wills once more that were published and that not every target has. */
    final void publishOwedAgain() {
        if (will != null && !isAside && !isYielded) {
            will.publishOwedAgain();
        }
    }

    @Override
    public final void publishAgain(OwedWill untaken) {
        if (will != null && !isAside && !isYielded) {
            will.publishAgain(untaken);
        }
    }

    /**
     * Lets go of the wills of a set-aside session, once those that it has published are taken: what
     * it has not published is not its own any more.
     */
    final void letGoOfWills() {
        if (will != null) {
            will.dropUnpublished();
        }
        if (will != null && will.owedCount() == 0) {
            Map<IngressId, Takers> remembered = new HashMap<>(0);
            will.leaveMemory(remembered);
            if (isYielded) {
                session.context().letGo(remembered);
            }
            will = null;
        }
    }

    /** Moves with the session to another shard, with what its wills wait for. */
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

    /** Takes up that the will was being published when the broker crashed; called at start. */
    public final void recoverWill(Inbound begun) {
        will().recover(begun);
    }

    /**
     * The ingress ids of the session's wills that queues may remember; asked at start, and when the
     * session is adopted.
     */
    public final List<IngressId> willsThatMayBeRemembered() {
        return will == null ? List.of() : will.mayBeRemembered();
    }

    /** Tells which queues remember a will; called at start, and when the session is adopted. */
    public final void willTakenBy(IngressId id, Takers takers) {
        will().takenBy(id, takers);
    }
}
