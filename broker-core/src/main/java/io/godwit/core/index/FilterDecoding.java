package io.godwit.core.index;

import io.godwit.core.codec.FilterPace;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.shard.Turns;
import java.util.ArrayDeque;

/**
 * The SUBSCRIBEs and UNSUBSCRIBEs of a shard that are decoded: so much of a turn at once, the rest
 * in slices, the connections in turn. While one waits here, nothing that follows is decoded.
 */
public final class FilterDecoding implements FilterPace, Sliced, TurnEnd {
    /** Units of a slice: some tenths of a millisecond. */
    public static final int SLICE = 1_000;

    private static final int TURN = SLICE;

    private final Turns turns;
    private final ArrayDeque<SubscriberLink> waiting = new ArrayDeque<>(0);
    private int left = TURN;
    private boolean slicing;
    private boolean endsTurn;

    public FilterDecoding(Turns turns) {
        this.turns = turns;
    }

    @Override
    public int left() {
        return left;
    }

    @Override
    public void took(int units) {
        left = Math.max(0, left - units);
        if (!endsTurn) {
            endsTurn = true;
            turns.atTurnEnd(this);
        }
    }

    /** Goes on with the connection's packet in a slice. */
    public void goOn(SubscriberLink connection) {
        connection.subscribing(true);
        waiting.add(connection);
        if (!slicing) {
            slicing = true;
            turns.slice(this);
        }
    }

    @Override
    public boolean slice() {
        left = SLICE;
        while (left > 0 && !turns.hasMuchToFlush()) {
            SubscriberLink connection = waiting.poll();
            if (connection == null) {
                break;
            }
            connection.subscribing(false);
        }
        slicing = !waiting.isEmpty();
        return !slicing;
    }

    @Override
    public void onTurnEnd() {
        endsTurn = false;
        left = TURN;
    }
}
