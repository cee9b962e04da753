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

    /**
     * Makes the sessions of slots that this node has copies of its own, since it takes the slots
     * over: nothing of them is served before. What was loaded before is left as it is. A slot is
     * not taken over again before this is done; it may be stepped down from meanwhile.
     *
     * @param from server id of the node that had led them
     * @param epoch under which this node leads them, which is on its disk
     * @param whenLoaded run once, when this node may serve them
     */
    void takeOver(int from, BitSet slots, Epoch epoch, Runnable whenLoaded);

    /** Begins to act for slots, also those that were given up, under a new epoch. */
    void lead(BitSet slots, Epoch epoch);

    /**
     * Ends the use of slots, whatever uses them: another node leads them under a higher epoch. They
     * may have been given up before, or not have been loaded yet.
     */
    void stepDown(BitSet slots);

    /**
     * Closes the connections of all clients of this node: slots that it led were taken over by
     * another one, so what they have published may never be answered here. The leaders of these
     * slots were shown before.
     *
     * @param yielded slots whose durable sessions become copies, and lose their connections by that
     */
    void closeClients(BitSet yielded);

    /**
     * Makes the durable sessions of slots copies of another node's, which has taken the slots over:
     * they leave memory, and are neither served nor changed here any more.
     *
     * @param leader server id of that node
     * @param epoch the highest one of the slots: by then that node has taken them over
     * @param then told how many sessions that were
     */
    void yieldTo(BitSet slots, int leader, Epoch epoch, LongConsumer then);

    /**
     * Sets the durable sessions of slots aside, on the disk: they are neither served nor deleted.
     *
     * @param epoch under which another node leads the slots
     * @param then told how many sessions that were
     */
    void setAside(BitSet slots, Epoch epoch, LongConsumer then);

    /**
     * Whether this node has switched over to the new leader of a slot that was taken over: older
     * sessions stay before, so that what is published to them is not answered.
     *
     * @param epoch under which that node leads it
     */
    default boolean hasSwitched(int slot, Epoch epoch) {
        return true;
    }

    /**
     * Whether a slot of a forgotten leader may be led without its sessions: no member has a whole
     * copy of them, or followers take nothing over.
     */
    default boolean isLost(int leader, int slot) {
        return true;
    }

    /** Counts the sessions that are set aside; any thread. */
    long sessionsAside();
}
