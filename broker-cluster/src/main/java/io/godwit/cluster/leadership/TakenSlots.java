package io.godwit.cluster.leadership;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Knows which of the slots that this node takes over are being loaded, and which have been. */
final class TakenSlots {
    /** By slot that is being loaded: for which epoch that has begun. */
    private final @Nullable Epoch[] loading;

    /** By slot that was loaded in this start: for which epoch. */
    private final @Nullable Epoch[] loaded;

    private final BitSet underWay = new BitSet();

    /** Slots that are being loaded and that another node leads by now. */
    private final BitSet lost = new BitSet();

    TakenSlots(int slots) {
        loading = new Epoch[slots];
        loaded = new Epoch[slots];
    }

    /** Whether sessions of a slot have to be loaded, and that can begin. */
    boolean hasToLoad(int slot, Epoch epoch) {
        return loading[slot] == null && !isDone(slot, epoch);
    }

    /** Whether all sessions of a slot are there, and none is being loaded. */
    boolean isLoaded(int slot, Epoch epoch) {
        return loading[slot] == null && isDone(slot, epoch);
    }

    /** A slot that goes on here under a later epoch is not loaded again. */
    private boolean isDone(int slot, Epoch epoch) {
        Epoch before = loaded[slot];
        boolean isSame =
                before != null
                        && before.takeovers() == epoch.takeovers()
                        && before.from() == epoch.from();
        return epoch.from() == 0 || isSame;
    }

    /** Whether a slot is being loaded, and {@link #lose} was not called since that began. */
    boolean isLoadingToLead(int slot) {
        return loading[slot] != null && !lost.get(slot);
    }

    /** Returns for which epoch a slot is being loaded; null: it is not. */
    @Nullable Epoch loading(int slot) {
        return loading[slot];
    }

    /** Returns the slots that are being loaded; not to be changed. */
    BitSet loading() {
        return underWay;
    }

    void begin(BitSet slots, Epoch epoch) {
        slots.stream().forEach(slot -> loading[slot] = epoch);
        underWay.or(slots);
    }

    void end(BitSet slots, Epoch epoch) {
        slots.stream().forEach(slot -> end(slot, epoch));
    }

    void end(int slot, Epoch epoch) {
        loading[slot] = null;
        underWay.clear(slot);
        lost.clear(slot);
        loaded[slot] = epoch;
    }

    /** Notes that another node leads a slot, which may be being loaded. */
    void lose(int slot) {
        lost.set(slot, loading[slot] != null);
    }
}
