package io.godwit.cluster.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import org.junit.jupiter.api.Test;

class MovedPublishesTest {
    private final MovedPublishes moved = new MovedPublishes();

    @Test
    void beyond_a_bound_the_oldest_is_forgotten() {
        for (int i = 1; i <= MovedPublishes.MAX; i++) {
            assertThat(moved.add(new IngressId(2, i))).isFalse();
        }
        assertThat(moved.add(new IngressId(2, MovedPublishes.MAX))).isFalse();
        assertThat(moved.has(new IngressId(2, 1))).isTrue();

        assertThat(moved.add(new IngressId(3, 1))).isTrue();
        assertThat(moved.has(new IngressId(2, 1))).isFalse();
        assertThat(moved.has(new IngressId(2, 2))).isTrue();
        assertThat(moved.has(new IngressId(3, 1))).isTrue();
    }

    @Test
    void there_are_some_until_the_last_is_over() {
        assertThat(moved.isSome()).isFalse();
        moved.add(new IngressId(2, 1));
        assertThat(moved.isSome()).isTrue();
        moved.remove(new IngressId(2, 1));
        assertThat(moved.isSome()).isFalse();
    }
}
