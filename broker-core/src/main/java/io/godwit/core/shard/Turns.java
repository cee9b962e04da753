package io.godwit.core.shard;

/** Work that ends with a shard's turn, or goes on in later ones. */
public interface Turns {
    /**
     * Has {@link TurnEnd#onTurnEnd} called at the end of this turn; the caller keeps from asking
     * twice.
     */
    void atTurnEnd(TurnEnd item);

    /** Whether the end of this turn has got enough to do: a slice of work should stop here. */
    boolean hasMuchToFlush();

    /** Has a long piece of work done in slices, one for each round of mail. */
    void slice(Sliced work);
}
