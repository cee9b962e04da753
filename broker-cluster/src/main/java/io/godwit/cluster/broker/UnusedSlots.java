package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotUse;
import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Holds nothing in any slot and gives every slot up at once, since sessions still live where their
 * clients are connected, and move with them.
 */
final class UnusedSlots implements SlotUse {
    @Override
    public void holdings(Consumer<BitSet> then) {
        then.accept(new BitSet());
    }

    @Override
    public void giveUp(BitSet wanted, Consumer<BitSet> then) {
        then.accept(wanted);
    }

    @Override
    public void lead(BitSet slots, Epoch epoch) {
        // No session is served by its slot's leader.
    }

    @Override
    public void stepDown(BitSet slots) {
        // Nothing was begun.
    }

    @Override
    public void setAside(BitSet slots, Epoch epoch, LongConsumer then) {
        then.accept(0);
    }

    @Override
    public long sessionsAside() {
        return 0;
    }
}
