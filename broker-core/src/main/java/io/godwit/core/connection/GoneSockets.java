package io.godwit.core.connection;

import io.godwit.core.shard.TurnEnd;
import io.godwit.core.shard.Turns;
import java.util.ArrayDeque;

/**
 * The connections of a shard whose sockets are gone: so many of a turn end at once, the others in
 * slices, in order. When a network fails, thousands go at one moment. What is written to one that
 * waits here is lost with its socket; bounded by the connections that there are.
 */
public final class GoneSockets implements TurnEnd {
    private static final int SLICE = 100;

    private final Turns turns;
    private final ArrayDeque<ConnectionLife> waiting = new ArrayDeque<>(0);
    private int endedInTurn;

    public GoneSockets(Turns turns) {
        this.turns = turns;
    }

    /** Ends the connection now, or as soon as it is its turn. */
    void add(ConnectionLife connection) {
        if (!waiting.isEmpty()) {
            waiting.add(connection);
        } else if (endedInTurn == SLICE) {
            waiting.add(connection);
            turns.slice(this::slice);
        } else {
            if (endedInTurn++ == 0) {
                turns.atTurnEnd(this);
            }
            connection.socketIsGone();
        }
    }

    private boolean slice() {
        for (int i = 0; i < SLICE && !turns.hasMuchToFlush(); i++) {
            ConnectionLife connection = waiting.poll();
            if (connection == null) {
                break;
            }
            connection.socketIsGone();
        }
        return waiting.isEmpty();
    }

    @Override
    public void onTurnEnd() {
        endedInTurn = 0;
    }
}
