package io.godwit.cluster.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import org.junit.jupiter.api.Test;

class InheritedPublishesTest {
    private final InheritedPublishes inherited = new InheritedPublishes();

    @Test
    void beyond_a_bound_the_oldest_is_forgotten() {
        for (int i = 1; i <= InheritedPublishes.MAX; i++) {
            assertThat(inherited.add(new IngressId(2, i))).isFalse();
        }
        assertThat(inherited.add(new IngressId(2, InheritedPublishes.MAX))).isFalse();
        assertThat(inherited.has(new IngressId(2, 1))).isTrue();

        assertThat(inherited.add(new IngressId(3, 1))).isTrue();
        assertThat(inherited.has(new IngressId(2, 1))).isFalse();
        assertThat(inherited.has(new IngressId(2, 2))).isTrue();
        assertThat(inherited.has(new IngressId(3, 1))).isTrue();
    }

    @Test
    void there_are_some_until_the_last_is_over() {
        assertThat(inherited.isSome()).isFalse();
        inherited.add(new IngressId(2, 1));
        assertThat(inherited.isSome()).isTrue();
        inherited.remove(new IngressId(2, 1));
        assertThat(inherited.isSome()).isFalse();
    }
}
