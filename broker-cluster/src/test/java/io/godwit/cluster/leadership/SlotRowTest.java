package io.godwit.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotRowTest {
    private static List<SlotRow> readBack(List<SlotRow> rows) {
        ByteWriter to = new ByteWriter(16);
        SlotRow.write(to, rows);
        ByteReader from = new ByteReader(to.toBytes());
        List<SlotRow> read = SlotRow.read(from, Slots.COUNT);
        assertThat(from.isAtEnd()).isTrue();
        return read;
    }

    @Test
    void rows_of_any_size_are_read_as_they_were_written() {
        Random random = new Random(1);
        for (int size : new int[] {0, 1, 2, 100, 255, 257, 1365, Slots.COUNT}) {
            BitSet slots = new BitSet();
            while (slots.cardinality() < size) {
                slots.set(random.nextInt(Slots.COUNT));
            }
            SlotRow row = new SlotRow(new Epoch(300, 70_000, 0xFF_FFFF), slots);
            assertThat(readBack(List.of(row, row))).containsExactly(row, row);
            ByteWriter to = new ByteWriter(16);
            SlotRow.write(to, List.of(row));
            assertThat(to.length()).isLessThanOrEqualTo(row.bytes() + 8);
        }
    }

    @Test
    void a_slot_that_does_not_exist_is_refused_in_both_forms() {
        BitSet one = new BitSet();
        one.set(Slots.COUNT);
        BitSet all = new BitSet();
        all.set(0, Slots.COUNT + 1);
        for (BitSet slots : List.of(one, all)) {
            assertThatThrownBy(() -> readBack(List.of(new SlotRow(new Epoch(1, 1, 1), slots))))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void a_list_that_goes_beyond_every_number_is_refused() {
        ByteWriter to = new ByteWriter(16).u8(1).varint(2);
        to.varint(Integer.MAX_VALUE).varint(Integer.MAX_VALUE);
        assertThatThrownBy(() -> SlotSet.read(new ByteReader(to.toBytes()), Slots.COUNT))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void epochs_are_compared_by_changes_then_incarnation_then_server() {
        assertThat(
                        List.of(
                                new Epoch(1, 9, 9),
                                new Epoch(2, 1, 9),
                                new Epoch(2, 2, 1),
                                new Epoch(2, 2, 2)))
                .isSorted();
    }
}
