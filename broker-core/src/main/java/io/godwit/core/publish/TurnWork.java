package io.godwit.core.publish;

import io.godwit.core.shard.Shard;
import io.godwit.core.shard.TurnEnd;

/**
 * The work that routing has done in this turn of a shard: a target told, a filter matched and a
 * subscription merged count alike. One read can hold hundreds of PUBLISHes, each with a thousand
 * targets.
 */
final class TurnWork {
    /** Slices that the PUBLISHes read in one turn may take together: some milliseconds. */
    private static final int SLICES = 10;

    private final Shard shard;
    private final int sliceMax;
    private int work;
    private final TurnEnd forget = () -> work = 0;

    /**
     * @param sliceMax work of one slice: {@code overload.slice}
     */
    TurnWork(Shard shard, int sliceMax) {
        this.shard = shard;
        this.sliceMax = sliceMax;
    }

    boolean isSpent() {
        return work >= sliceMax * SLICES;
    }

    void charge(int more) {
        if (work == 0) {
            shard.atTurnEnd(forget);
        }
        work += more;
    }

    /** Whether this turn has room for so many targets more; then they are charged. */
    boolean take(int targets) {
        if (isSpent()) {
            return false;
        }
        charge(Math.min(targets, sliceMax));
        return true;
    }
}
