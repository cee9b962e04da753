package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.Session;
import io.godwit.core.session.Stay;
import io.godwit.core.store.SessionMoves;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that have come to this node, or were given to others, for the client ids that hash to
 * one shard, each with the number of the grant for which it came or went. A client id can have
 * several: a session may have been here, gone, and been here again.
 */
final class SessionsByGrant {
    private final Map<ClientId, List<Entry>> sessions = new HashMap<>(0);

    private static final class Entry {
        final Session session;
        long changes;

        /** See {@link #add(Session, long, List, long)}. */
        List<TopicFilter> filters = List.of();

        long waited;

        Entry(Session session, long changes) {
            this.session = session;
            this.changes = changes;
        }
    }

    /**
     * @param changes number of the grant
     */
    void add(Session session, long changes) {
        add(session, changes, List.of(), 0);
    }

    /**
     * The same.
     *
     * @param filters for which messages come to it here
     * @param waited see {@link SessionMoves#waited}
     */
    void add(Session session, long changes, List<TopicFilter> filters, long waited) {
        Entry added = new Entry(session, changes);
        added.filters = filters;
        added.waited = waited;
        sessions.computeIfAbsent(session.clientId(), id -> new ArrayList<>(1)).add(added);
    }

    /** No messages come to the session of a grant here any more. */
    void leavesIndex(ClientId clientId, long changes) {
        for (Entry each : entries(clientId)) {
            if (each.changes == changes) {
                each.filters = List.of();
            }
        }
    }

    /** How the session of a grant was here, if messages have come here since then. */
    Stay stay(ClientId clientId, long changes) {
        for (Entry each : entries(clientId)) {
            if (each.changes == changes && !each.filters.isEmpty()) {
                return new Stay(changes, each.waited);
            }
        }
        return Stay.NONE;
    }

    private List<Entry> entries(ClientId clientId) {
        return sessions.getOrDefault(clientId, List.of());
    }

    /** Finds the session of a grant; null when it has gone. */
    @Nullable Session find(ClientId clientId, long changes) {
        for (Entry each : entries(clientId)) {
            if (each.changes == changes) {
                return each.session;
            }
        }
        return null;
    }

    /** Finds the session of the highest grant from this one on; null when there is none. */
    @Nullable Session latest(ClientId clientId, long from) {
        Entry latest = null;
        for (Entry each : entries(clientId)) {
            if (each.changes >= from && (latest == null || each.changes > latest.changes)) {
                latest = each;
            }
        }
        return latest == null ? null : latest.session;
    }

    List<Session> all(ClientId clientId) {
        return entries(clientId).stream().map(each -> each.session).toList();
    }

    /** A session has another grant's number now. */
    void grantedAgain(Session session, long changes) {
        for (Entry each : entries(session.clientId())) {
            if (each.session.equals(session)) {
                each.changes = changes;
            }
        }
    }

    /** Takes the session of a grant out; null when it has gone already. */
    @Nullable Session remove(ClientId clientId, long changes) {
        Session removed = find(clientId, changes);
        if (removed != null) {
            remove(removed);
        }
        return removed;
    }

    void remove(Session session) {
        List<Entry> all = sessions.get(session.clientId());
        if (all == null) {
            return;
        }
        for (Iterator<Entry> i = all.iterator(); i.hasNext(); ) {
            if (i.next().session.equals(session)) {
                i.remove();
            }
        }
        if (all.isEmpty()) {
            sessions.remove(session.clientId());
        }
    }
}
