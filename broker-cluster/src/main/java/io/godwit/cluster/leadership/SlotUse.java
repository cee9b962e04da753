package io.godwit.cluster.leadership;

import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Does on the shards what leadership decides, and tells what they have. Called on the thread of the
 * links, which does not wait: shards do what they are told in the order of calls. Answers come on
 * the same thread, within the call or later. Sets of slots that are passed are not changed
 * afterwards by either side.
 */
public interface SlotUse {
    /** Finds the slots in which this node has durable sessions that are not set aside. */
    void holdings(Consumer<BitSet> then);

    /**
     * Ends the use of slots that nothing uses: those with no durable session and no claim under
     * way. From then on their shards answer NOT_LEADER, also to claims that only wait to be
     * granted.
     *
     * @param then told which ones that were
     */
    void giveUp(BitSet wanted, Consumer<BitSet> then);

    /** Begins to act for slots; or goes on under the same epoch, when they were given up. */
    void lead(BitSet slots, Epoch epoch);

    /**
     * Ends the use of slots, whatever uses them: another node leads them under a higher epoch. They
     * may have been given up before.
     */
    void stepDown(BitSet slots);

    /**
     * Sets the durable sessions of slots aside, on the disk: they are neither served nor deleted.
     *
     * @param epoch under which another node leads the slots
     * @param then told how many sessions that were
     */
    void setAside(BitSet slots, Epoch epoch, LongConsumer then);

    /** Counts the sessions that are set aside; any thread. */
    long sessionsAside();
}
