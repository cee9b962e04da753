package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.SettableTime;
import org.junit.jupiter.api.Test;

class SliceBudgetTest {
    private final SettableTime time = new SettableTime();

    @Test
    void slice_ends_after_its_units_while_the_clock_stands_still() {
        SliceBudget budget = new SliceBudget(time, 3);
        assertThat(budget.spend()).isTrue();
        assertThat(budget.spend()).isTrue();
        assertThat(budget.spend()).isFalse();
    }

    @Test
    void slice_ends_after_two_milliseconds() {
        SliceBudget budget = new SliceBudget(time, 1_000);
        time.advance(1);
        assertThat(budget.spend()).isTrue();
        time.advance(1);
        assertThat(budget.spend()).isFalse();
    }
}
