package io.godwit.server.admin;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The open connections of the admin port, so few that they need no thread each. Whoever comes gets
 * in: when all places are taken, the connection goes that has waited longest without a request in
 * work, which is what a client looks like that sends a byte now and then. When every place has a
 * request in work, the newcomer gets one of a reserve where only health is answered, at once. On
 * the admin thread only.
 */
final class AdminConnections {
    static final int PLACES = 64;
    static final int RESERVE = 16;

    private final AdminRefusals refusals;
    private final Set<AdminConnection> open = new LinkedHashSet<>();

    /** The connections that have no request in work, longest first. */
    private final Set<AdminConnection> waiting = new LinkedHashSet<>();

    AdminConnections(AdminRefusals refusals) {
        this.refusals = refusals;
    }

    /**
     * Makes room for one more.
     *
     * @return whether it has a place of the reserve
     */
    boolean makeRoom() {
        if (open.size() < PLACES) {
            return false;
        }
        Iterator<AdminConnection> longest = waiting.iterator();
        if (longest.hasNext()) {
            AdminConnection gone = longest.next();
            refusals.count(AdminRefusal.MADE_ROOM);
            gone.close();
        }
        return open.size() >= PLACES;
    }

    /** Whether one more may be kept; the reserve is full only of requests for health. */
    boolean hasRoom() {
        return open.size() < PLACES + RESERVE;
    }

    void opened(AdminConnection connection) {
        open.add(connection);
        waiting.add(connection);
    }

    void working(AdminConnection connection) {
        waiting.remove(connection);
    }

    /** Notes that a connection waits for its client to send something, or to read. */
    void waiting(AdminConnection connection) {
        waiting.remove(connection);
        if (open.contains(connection)) {
            waiting.add(connection);
        }
    }

    void closed(AdminConnection connection) {
        open.remove(connection);
        waiting.remove(connection);
    }
}
