package io.godwit.cluster.leadership;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Slots that have the same epoch: a row of the table, on the disk and between nodes.
 *
 * @param slots not to be changed
 */
public record SlotRow(Epoch epoch, BitSet slots) {
    /** Writes {@code count varint | [epoch | slots ...]}. */
    public static void write(ByteWriter to, List<SlotRow> rows) {
        to.varint(rows.size());
        for (SlotRow each : rows) {
            each.epoch.write(to);
            SlotSet.write(to, each.slots);
        }
    }

    /**
     * Reads rows as {@link #write} has written them.
     *
     * @param count how many slots there are
     * @throws IndexOutOfBoundsException when these are no rows
     */
    public static List<SlotRow> read(ByteReader from, int count) {
        int size = from.size();
        List<SlotRow> rows = new ArrayList<>(Math.min(size, count));
        for (int left = size; left > 0; left--) {
            rows.add(new SlotRow(Epoch.read(from), SlotSet.read(from, count)));
        }
        return rows;
    }

    /** About how many bytes it is when written. */
    public int bytes() {
        return 24 + SlotSet.bytes(slots);
    }
}
