package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SourceGateTest {
    private static final BitSet NONE = new BitSet();

    private final SourceGate gate = new SourceGate();

    private static BitSet slots(int... some) {
        BitSet slots = new BitSet();
        for (int each : some) {
            slots.set(each);
        }
        return slots;
    }

    private static SourceGate.Closing closing(int takeover, int... slots) {
        return new SourceGate.Closing(takeover, slots(slots));
    }

    @Test
    void everything_passes_in_peace() {
        gate.begin(List.of(), NONE, NONE);
        assertThat(gate.closed().isEmpty()).isTrue();
        assertThat(gate.gate()).isNull();
    }

    @Test
    void slots_are_closed_until_their_source_enters_them() {
        gate.begin(List.of(), NONE, NONE);
        gate.close(closing(1, 3, 4));
        assertThat(gate.closed()).isEqualTo(slots(3, 4));
        assertThat(gate.gate()).isNotNull();

        gate.enter(1, slots(3));
        assertThat(gate.closed()).isEqualTo(slots(4));
        gate.enter(1, slots(4));
        assertThat(gate.gate()).isNull();
    }

    @Test
    void record_of_an_earlier_takeover_does_not_enter_a_later_one() {
        gate.begin(List.of(), NONE, NONE);
        gate.close(closing(2, 3));
        gate.enter(1, slots(3));
        assertThat(gate.closed()).isEqualTo(slots(3));
        gate.enter(2, slots(3));
        assertThat(gate.closed()).isEqualTo(NONE);
    }

    @Test
    void stream_that_begins_has_entered_nothing_that_was_taken_over_before() {
        gate.begin(List.of(closing(1, 3), closing(2, 4)), NONE, NONE);
        assertThat(gate.closed()).isEqualTo(slots(3, 4));
    }

    @Test
    void
            source_that_had_entered_at_an_earlier_start_is_not_closed_by_the_takeover_of_the_restart() {
        gate.begin(List.of(closing(1, 3)), slots(3, 4), NONE);
        gate.close(closing(2, 4, 5));
        assertThat(gate.closed()).isEqualTo(slots(5));
    }

    @Test
    void slots_that_are_taken_over_once_more_after_a_restart_are_closed_for_every_source() {
        gate.begin(List.of(closing(1, 3)), slots(3), NONE);
        gate.close(closing(2, 3));
        assertThat(gate.closed()).isEqualTo(slots(3));
    }

    @Test
    void slots_are_closed_before_a_record_that_is_kept_and_enters_them() {
        gate.begin(List.of(closing(1, 3)), NONE, slots(3, 4));
        assertThat(gate.closed()).isEqualTo(slots(3, 4));
        gate.enter(0, slots(3, 4));
        assertThat(gate.closed()).isEqualTo(NONE);

        gate.close(closing(2, 4));
        assertThat(gate.closed()).as("of the restart").isEqualTo(NONE);
        gate.close(closing(3, 3, 4));
        assertThat(gate.closed()).as("later").isEqualTo(slots(3, 4));
    }
}
