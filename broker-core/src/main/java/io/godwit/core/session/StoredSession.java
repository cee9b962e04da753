package io.godwit.core.session;

import io.godwit.core.store.SessionRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's life as the store is told of it: a record while it is durable, or is to become
 * transient, or owes a will. A class of its own, and no object, since every session has one.
 */
abstract class StoredSession {
    final Session session;

    /** Whether the store has a record: it may have been durable once, or owe a will. */
    private boolean stored;

    /** Whether the store was told to forget it. */
    private boolean forgotten;

    StoredSession(Session session) {
        this.session = session;
    }

    /** At start: the store has told of it. */
    final void isStoredAlready() {
        stored = true;
    }

    final boolean isStored() {
        return stored;
    }

    /** It has ended, and the store was told so, if only to forget it. */
    public final boolean isEndKept() {
        return stored || forgotten;
    }

    abstract SessionState state();

    abstract long expirySeconds();

    /** The wills of the session, or null when there is none. */
    abstract @Nullable SessionWill wills();

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
        SessionRecord record = record(offlineSinceMs);
        boolean lives = !session.isEnded() && (session.isDurable() || session.leavesStore);
        if (!lives && record.will() == null && record.owedWills().isEmpty()) {
            forget();
            return;
        }
        stored = true;
        session.store().putSession(session.clientId(), record);
    }

    /** How it stands with the session now. */
    final SessionRecord record() {
        return record(state().offlineSinceMs());
    }

    private SessionRecord record(long offlineSinceMs) {
        SessionWill wills = wills();
        return new SessionRecord(
                session.queueId(),
                session.generation(),
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
    }

    /**
     * One that is not durable any more leaves the store, but not while there are rows that it still
     * has to get, nor while it owes a will: who has got that is kept with the queue id.
     */
    final void leaveStore() {
        SessionWill wills = wills();
        boolean owes = wills != null && wills.owedCount() > 0;
        if (session.leavesStore && !owes && session.queueMayLeaveStore()) {
            session.leavesStore = false;
            forget();
            putRecord(); // That of its will.
        }
    }

    private void forget() {
        if (stored) {
            stored = false;
            forgotten = true;
            session.store().removeSession(session.clientId(), session.queueId());
        }
    }
}
