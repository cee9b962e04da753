package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this node has given to others and still keeps, for the client ids that hash to one shard. A
 * client id can have several: a session may have been here, gone, and been here again.
 */
final class Copies {
    private final Map<ClientId, List<Copy>> copies = new HashMap<>(0);

    private static final class Copy {
        final Session session;
        long changes;

        Copy(Session session, long changes) {
            this.session = session;
            this.changes = changes;
        }
    }

    /**
     * @param changes number of the grant for which it was given
     */
    void add(Session session, long changes) {
        copies.computeIfAbsent(session.clientId(), id -> new ArrayList<>(1))
                .add(new Copy(session, changes));
    }

    /** Finds what was given for a grant; null when it has gone. */
    @Nullable Session find(ClientId clientId, long changes) {
        for (Copy each : copies.getOrDefault(clientId, List.of())) {
            if (each.changes == changes) {
                return each.session;
            }
        }
        return null;
    }

    /** Finds what was given last; null when there is none. */
    @Nullable Session last(ClientId clientId) {
        List<Copy> all = copies.get(clientId);
        return all == null ? null : all.getLast().session;
    }

    void givenAgain(Session session, long changes) {
        for (Copy each : copies.getOrDefault(session.clientId(), List.of())) {
            if (each.session.equals(session)) {
                each.changes = changes;
            }
        }
    }

    /** Takes out what was given for a grant; null when it has gone already. */
    @Nullable Session remove(ClientId clientId, long changes) {
        List<Copy> all = copies.get(clientId);
        if (all == null) {
            return null;
        }
        Session removed = null;
        for (Iterator<Copy> i = all.iterator(); i.hasNext() && removed == null; ) {
            Copy each = i.next();
            if (each.changes == changes) {
                i.remove();
                removed = each.session;
            }
        }
        if (all.isEmpty()) {
            copies.remove(clientId);
        }
        return removed;
    }
}
