package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The durable copy of a group's queue. The messages stay in memory all the same; rows are read at
 * start only, and until that is done nothing leaves the group: what was lent to members, and what
 * they have done with it meanwhile, must be known first.
 */
final class GroupRows {
    private final GroupStore store;
    private long queueId;
    private @Nullable Reading reading;

    /** What is found out while the rows are read. */
    private static final class Reading {
        /** By entry: the member that has it in flight at QoS 2. */
        final Map<Long, SessionRef> lent = new HashMap<>();

        /** Entries that their members are done with. */
        final Set<Long> done = new HashSet<>();

        /** Rows that are not read yet. */
        long left;
    }

    GroupRows(GroupStore store) {
        this.store = store;
    }

    long queueId() {
        return queueId;
    }

    long nextMessageId() {
        return store.nextMessageId();
    }

    // ---------------------------------------------------------------- while it runs

    /**
     * The group is durable from now on.
     *
     * @param entries what it has, in id order
     */
    void begin(SharedGroup group, List<GroupEntry> entries) {
        queueId = store.putGroup(group);
        entries.forEach(this::keep);
    }

    /**
     * It is not durable any more.
     *
     * @param entries what it has
     */
    void end(SharedGroup group, List<GroupEntry> entries) {
        for (GroupEntry entry : entries) {
            GroupEntry.Kept kept = entry.kept;
            if (kept != null) {
                entry.kept = null;
                kept.takeBack(); // The queue goes as a whole.
            }
        }
        reading = null;
        if (queueId != 0) {
            store.removeGroup(group.filter(), queueId);
            queueId = 0;
        }
    }

    void keep(GroupEntry entry) {
        if (queueId != 0) {
            GroupEntry.Kept kept = new GroupEntry.Kept(queueId, entry.id, entry.message);
            entry.kept = kept;
            store.append(kept);
        }
    }

    /** It was delivered, has expired or was discarded. */
    void remove(GroupEntry entry) {
        GroupEntry.Kept kept = entry.kept;
        if (kept != null) {
            entry.kept = null;
            store.remove(kept);
        }
    }

    // ---------------------------------------------------------------- at start

    boolean isReading() {
        return reading != null;
    }

    long unread() {
        Reading running = reading;
        return running == null ? 0 : running.left;
    }

    void recovered(long id, long rows) {
        queueId = id;
        Reading begun = new Reading();
        begun.left = rows;
        reading = begun;
    }

    /** A row of a member's queue: it has this entry in flight, or has said that it got it. */
    void lent(SessionRef member, long entryId, boolean released) {
        Reading running = reading;
        if (running != null && released) {
            running.done.add(entryId);
        } else if (running != null) {
            running.lent.put(entryId, member);
        }
    }

    /** A member is done with an entry that is not read yet, perhaps. */
    void done(long entryId) {
        Reading running = reading;
        if (running != null) {
            running.done.add(entryId);
        }
    }

    /**
     * A row of the group's queue.
     *
     * @return null when it is not wanted any more
     */
    @Nullable GroupEntry read(long entryId, int server, Message message, @Nullable Object note) {
        Reading running = reading;
        if (running == null || running.done.contains(entryId)) {
            store.removeRow(queueId, entryId, server);
            return null;
        }
        running.left = Math.max(0, running.left - 1);
        GroupEntry entry = new GroupEntry(entryId, message);
        GroupEntry.Kept kept = new GroupEntry.Kept(queueId, entryId, message);
        kept.server = server;
        kept.note = note;
        kept.stored(QueuedMessage.FREE, QueuedMessage.ROW);
        entry.kept = kept;
        return entry;
    }

    /** Its session ended: nobody gets what it has in flight [MQTT-4.8.2-5]. */
    void gone(SessionRef member) {
        Reading running = reading;
        if (running != null) {
            running.lent.forEach((entryId, lentTo) -> {
                if (lentTo.equals(member)) {
                    running.done.add(entryId);
                }
            });
        }
    }

    /** Who has an entry in flight, or null. */
    @Nullable SessionRef lentTo(long entryId) {
        Reading running = reading;
        return running == null ? null : running.lent.get(entryId);
    }

    /** Everything is read. */
    void read() {
        reading = null;
    }
}
