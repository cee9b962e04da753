package io.godwit.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.transport.NodeStart;
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
            SlotRow row = new SlotRow(new Epoch(300, 70_000, 0xFF_FFFF, 70, 0xFF_FFFE), slots);
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

    @Test
    void rows_with_other_takeovers_are_kept_apart() {
        SlotTable table = new SlotTable(3);
        table.raise(0, new Epoch(9, 1, 1));
        table.raise(1, new Epoch(9, 1, 1, 1, 2));
        table.raise(2, new Epoch(9, 1, 1, 1, 3));
        SlotTable read = new SlotTable(3);
        read.addAll(readBack(table.rows()));
        assertThat(read.toArray()).isEqualTo(table.toArray());
    }

    @Test
    void an_epoch_of_a_take_over_is_above_what_the_former_leader_makes_alone() {
        NodeStart former = new NodeStart(1, 5);
        Epoch before = new Epoch(3, 5, 1);
        Epoch taken = before.takenOver(new NodeStart(2, 1));
        assertThat(taken.takeovers()).isEqualTo(1);
        assertThat(taken.from()).isEqualTo(1);
        Epoch alone = before;
        for (int start = 6; start < 1_000; start++) {
            alone = alone.next(new NodeStart(1, start));
        }
        assertThat(taken).isGreaterThan(alone);
        assertThat(taken).isGreaterThan(before.nextAfterForgotten(new NodeStart(3, 9)));
        assertThat(before.next(former).takenOver(former)).isGreaterThan(taken);
    }

    @Test
    void a_leader_keeps_from_whom_it_took_over_until_another_leads() {
        Epoch taken = new Epoch(3, 5, 1).takenOver(new NodeStart(2, 1));
        Epoch restarted = taken.next(new NodeStart(2, 2));
        assertThat(restarted.from()).isEqualTo(1);
        assertThat(restarted.takeovers()).isEqualTo(1);
        Epoch given = restarted.next(new NodeStart(1, 6));
        assertThat(given.from()).isZero();
        assertThat(given.takeovers()).isEqualTo(1);
        Epoch forgotten = restarted.nextAfterForgotten(new NodeStart(3, 1));
        assertThat(forgotten.from()).isZero();
        assertThat(forgotten.takeovers()).isEqualTo(1);
    }
}
