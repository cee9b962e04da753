package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Holds the highest epoch of each slot, or none. Tables merge to the same one in any order. */
final class SlotTable {
    private final @Nullable Epoch[] epochs;

    SlotTable(int slots) {
        epochs = new Epoch[slots];
    }

    private SlotTable(@Nullable Epoch[] epochs) {
        this.epochs = epochs;
    }

    int size() {
        return epochs.length;
    }

    @Nullable Epoch get(int slot) {
        return epochs[slot];
    }

    /**
     * Sets the epoch of a slot if it is higher than the one that is there.
     *
     * @return whether it was
     */
    boolean raise(int slot, Epoch epoch) {
        Epoch known = epochs[slot];
        if (known != null && epoch.compareTo(known) <= 0) {
            return false;
        }
        epochs[slot] = epoch;
        return true;
    }

    /** Whether a slot is led by an earlier start of a node. */
    boolean hasEarlierStartOf(NodeStart node) {
        for (Epoch each : epochs) {
            if (each != null && each.server() == node.server() && !each.isOf(node)) {
                return true;
            }
        }
        return false;
    }

    SlotTable copy() {
        return new SlotTable(epochs.clone());
    }

    /** Returns the epochs by slot; a copy. */
    @Nullable Epoch[] toArray() {
        return epochs.clone();
    }

    /** Returns all slots that have an epoch, grouped by it, in the order of epochs. */
    List<SlotRow> rows() {
        BitSet all = new BitSet(epochs.length);
        all.set(0, epochs.length);
        return rows(all);
    }

    /** Returns some slots, as far as they have an epoch, grouped by it. */
    List<SlotRow> rows(BitSet slots) {
        Map<Epoch, BitSet> byEpoch = new TreeMap<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Epoch epoch = epochs[slot];
            if (epoch != null) {
                byEpoch.computeIfAbsent(epoch, any -> new BitSet()).set(slot);
            }
        }
        List<SlotRow> rows = new ArrayList<>(byEpoch.size());
        byEpoch.forEach((epoch, of) -> rows.add(new SlotRow(epoch, of)));
        return rows;
    }

    /** Adds rows that were read from the disk. */
    void addAll(List<SlotRow> rows) {
        for (SlotRow row : rows) {
            row.slots().stream().forEach(slot -> raise(slot, row.epoch()));
        }
    }
}
