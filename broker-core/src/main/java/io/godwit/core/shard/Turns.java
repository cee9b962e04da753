package io.godwit.core.shard;

/** Work that ends with a shard's turn, or goes on in later ones. */
public interface Turns {
    /**
     * Has {@link TurnEnd#onTurnEnd} called at the end of this turn; the caller keeps from asking
     * twice.
     */
    void atTurnEnd(TurnEnd item);

    /**
     * As {@link #atTurnEnd}, of a client that gets nothing but answers: behind all others, since
     * who is answered sends more, and should not do so before others have got what was there.
     */
    void answerAtTurnEnd(TurnEnd item);

    /** Whether the end of this turn has got enough to do: a slice of work should stop here. */
    boolean hasMuchToFlush();

    /** Has a long piece of work done in slices, one for each round of mail. */
    void slice(Sliced work);

    /**
     * Whether what is written now belongs to a large fan-out, and may be flushed together with what
     * follows: from here on, until this is called again.
     */
    void gather(boolean on);

    boolean isGathering();

    /**
     * Has {@link GatheredFlush#onGathered} called some milliseconds later, or at the end of this
     * turn when nothing was gathered lately.
     */
    void flushGathered(GatheredFlush item);

    /** Counts bytes that were written and are flushed soon. */
    void wrote(int bytes);

    /** Counts a buffer that was made while gathering. */
    void gathered(int bytes);
}
