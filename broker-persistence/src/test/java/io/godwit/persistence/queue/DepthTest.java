package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DepthTest {
    private final Depth depth = new Depth(1);

    @Test
    void a_row_that_comes_below_the_first_is_above_where_pages_begin() {
        depth.idleAdded(100, 7, 10);
        depth.idleAdded(90, 9, 10);
        assertThat(depth.first).isEqualTo(89);
        assertThat(depth.last).isEqualTo(100);
        depth.idleAdded(95, 9, 10);
        assertThat(depth.first).isEqualTo(89);
    }
}
