package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The slots that a {@link LeaderRegistry} grants, or that edges have told it something of. */
final class LedSlots {
    private final @Nullable LedSlot[] all = new LedSlot[ClientId.SLOTS];

    /** Slots with a state that are not open yet. */
    private final BitSet closed = new BitSet(ClientId.SLOTS);

    @Nullable LedSlot get(int slot) {
        return all[slot];
    }

    /** Returns a slot if it has this epoch, as its number of changes. */
    @Nullable LedSlot get(int slot, long changes) {
        LedSlot in = all[slot];
        return in != null && in.changes == changes ? in : null;
    }

    /** Adds a slot, which is closed. */
    LedSlot add(int slot, long changes) {
        LedSlot in = new LedSlot(changes);
        all[slot] = in;
        closed.set(slot);
        return in;
    }

    void open(LedSlot in, int slot, boolean mayClose) {
        in.open(mayClose);
        closed.clear(slot);
    }

    /** Notes that a slot may not be granted from until it opens again. */
    void close(LedSlot in, int slot) {
        in.isOpen = false;
        closed.set(slot);
    }

    /** Notes that some slots are not looked at any more. */
    void leave(BitSet slots) {
        closed.andNot(slots);
    }

    void remove(int slot) {
        all[slot] = null;
        closed.clear(slot);
    }

    /** Removes a slot that nobody holds this node for the stand-in of. */
    void removeUntold(LedSlot in, int slot) {
        if (!in.isLed && !in.isToldByAny()) {
            remove(slot);
        }
    }

    /** Returns the next slot that is not open; -1: there is none. */
    int nextClosed(int from) {
        return closed.nextSetBit(from);
    }

    int size() {
        int count = 0;
        for (LedSlot each : all) {
            count += each == null ? 0 : 1;
        }
        return count;
    }

    /** Counts the client ids whose claims wait for their slots to open. */
    int idsHeld() {
        int sum = 0;
        for (int slot = nextClosed(0); slot >= 0; slot = nextClosed(slot + 1)) {
            LedSlot in = all[slot];
            sum += in == null ? 0 : in.held().size();
        }
        return sum;
    }
}
