package io.godwit.cluster.leadership;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.BitSet;

/**
 * Writes and reads sets of slots.
 *
 * <pre>
 * form 1 | form 0: bitmap sized, the lowest slot in the lowest bit of the first byte
 *        | form 1: count varint | [distance to the slot before, or of the first to -1, varint ...]
 * </pre>
 */
public final class SlotSet {
    private static final int BITMAP = 0;
    private static final int LIST = 1;

    private SlotSet() {}

    /** Writes a set in the shorter form. */
    public static void write(ByteWriter to, BitSet slots) {
        if (slots.cardinality() * 2 >= slots.length() / Byte.SIZE) {
            to.u8(BITMAP).sized(slots.toByteArray());
            return;
        }
        to.u8(LIST).varint(slots.cardinality());
        int before = -1;
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            to.varint(slot - before);
            before = slot;
        }
    }

    /**
     * Reads a set.
     *
     * @param count how many slots there are
     * @throws IndexOutOfBoundsException when it is none, or names a slot that there is not
     */
    public static BitSet read(ByteReader from, int count) {
        BitSet slots;
        switch (from.u8()) {
            case BITMAP -> slots = BitSet.valueOf(from.sized());
            case LIST -> {
                slots = new BitSet(count);
                int slot = -1;
                for (int left = from.size(); left > 0; left--) {
                    slot = Math.addExact(slot, from.smallInt());
                    slots.set(checked(slot, count));
                }
            }
            default -> throw new IndexOutOfBoundsException("no set of slots");
        }
        checked(slots.length() - 1, count);
        return slots;
    }

    private static int checked(int slot, int count) {
        if (slot >= count) {
            throw new IndexOutOfBoundsException("no slot " + slot);
        }
        return slot;
    }

    /** About how many bytes a set is when written. */
    public static int bytes(BitSet slots) {
        return 4 + Math.min(slots.length() / Byte.SIZE, slots.cardinality() * 2);
    }
}
