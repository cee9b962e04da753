package io.godwit.server.extension.call;

import io.godwit.core.packet.ClientId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Holds a lane for each client of which something is under review. Any thread. */
final class Lanes {
    private final ConcurrentMap<ClientId, Entry> lanes = new ConcurrentHashMap<>();

    /** A lane, and for how many turns it is held; changed inside of {@code compute} only. */
    private static final class Entry {
        final Lane lane = new Lane();
        int turns;
    }

    /** Adds a turn; {@link #end} has to follow behind it. */
    void add(ClientId client, Lane.Turn turn) {
        enter(client).add(turn);
    }

    private Lane enter(ClientId client) {
        Entry entered =
                lanes.compute(
                        client,
                        (id, present) -> {
                            Entry entry = present == null ? new Entry() : present;
                            entry.turns++;
                            return entry;
                        });
        return entered.lane;
    }

    /** Ends a turn, and begins the next one of its client. */
    void end(ClientId client, Lane.Turn turn) {
        lanes.computeIfPresent(client, (id, present) -> --present.turns == 0 ? null : present);
        turn.end();
    }

    /** Clients of which something is under review. */
    int size() {
        return lanes.size();
    }
}
