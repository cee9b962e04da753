package io.godwit.core.index;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.shard.Turns;
import java.util.ArrayDeque;

/**
 * The SUBSCRIBEs and UNSUBSCRIBEs of a shard: so many filters of a turn are done at once, the
 * others in slices, the requests in turn. While one waits here nothing more of its connection is
 * decoded, so a connection has one at the most.
 */
public final class FilterRequests implements Sliced, TurnEnd {
    /** Filters in one slice: some microseconds each. */
    static final int SLICE = 200;

    private static final int TURN = 2 * SLICE;

    private final Turns turns;
    private final ShardLoad load;
    private final ArrayDeque<FilterRequest> waiting = new ArrayDeque<>(0);
    private boolean slicing;
    private int doneInTurn;

    public FilterRequests(Turns turns, ShardLoad load) {
        this.turns = turns;
        this.load = load;
    }

    void begin(FilterRequest request) {
        while (doneInTurn < TURN) {
            work(request, SLICE);
            if (request.isDone()) {
                return;
            }
        }
        request.connection.subscribing(true);
        load.held(request.heldBytes());
        waiting.add(request);
        if (!slicing) {
            slicing = true;
            turns.slice(this);
        }
    }

    private int work(FilterRequest request, int max) {
        if (doneInTurn == 0) {
            turns.atTurnEnd(this);
        }
        int done = request.work(max);
        doneInTurn += done;
        return done;
    }

    @Override
    public boolean slice() {
        int left = SLICE;
        while (left > 0 && !turns.hasMuchToFlush()) {
            FilterRequest request = waiting.poll();
            if (request == null) {
                break;
            }
            left -= work(request, left);
            if (request.isDone()) {
                load.held(-request.heldBytes());
                request.connection.subscribing(false);
            } else {
                waiting.add(request);
            }
        }
        slicing = !waiting.isEmpty();
        return !slicing;
    }

    @Override
    public void onTurnEnd() {
        doneInTurn = 0;
    }
}
