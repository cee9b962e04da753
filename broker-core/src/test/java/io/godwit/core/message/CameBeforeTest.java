package io.godwit.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CameBeforeTest {
    private static CameBefore of(CameBefore.Builder some) {
        return Objects.requireNonNull(some.build());
    }

    private static CameBefore.Builder builder() {
        return new CameBefore.Builder();
    }

    @Test
    void has_what_was_seen_of_that_stream_of_that_start_alone() {
        CameBefore before = of(builder().add(9, 3, 2, 300));
        assertThat(before.has(9, 3, 2, 1)).isTrue();
        assertThat(before.has(9, 3, 2, 300)).isTrue();
        assertThat(before.has(9, 3, 2, 301)).isFalse();
        assertThat(before.has(9, 3, 1, 1)).isFalse();
        assertThat(before.has(9, 4, 2, 1)).isFalse();
        assertThat(before.has(8, 3, 2, 1)).isFalse();
    }

    @Test
    void names_of_any_size_are_told_apart() {
        int server = (1 << 24) - 1;
        CameBefore before =
                of(builder().add(server, IngressId.START_MAX, 1_000, 7).add(1, 2, 3, 8));
        assertThat(before.size()).isEqualTo(2);
        assertThat(before.server(0)).isEqualTo(server);
        assertThat(before.start(0)).isEqualTo(IngressId.START_MAX);
        assertThat(before.number(0)).isEqualTo(1_000);
        assertThat(before.position(0)).isEqualTo(7);
        assertThat(before.has(server, IngressId.START_MAX, 1_000, 7)).isTrue();
        assertThat(before.has(1, 2, 3, 8)).isTrue();
        assertThat(builder().add(1, IngressId.START_MAX + 1, 1, 1).build()).isNull();
        assertThat(builder().add(1, 2, 1 << 21, 1).build()).isNull();
    }

    @Test
    void has_too_little_rather_than_too_much() {
        CameBefore.Builder many = builder();
        for (int i = 0; i <= CameBefore.MAX; i++) {
            many.add(1, 1, i, 5);
        }
        CameBefore before = of(many);
        assertThat(before.size()).isEqualTo(CameBefore.MAX);
        assertThat(before.has(1, 1, CameBefore.MAX, 1)).isFalse();
        assertThat(builder().build()).isNull();
    }

    private static @Nullable CameBefore both(CameBefore.Builder one, CameBefore.Builder other) {
        return CameBefore.ofBoth(one.build(), other.build());
    }

    /** What one of them was there for is promised. */
    @Test
    void of_two_that_overlap_both_must_have_it() {
        CameBefore.Builder one = builder().add(1, 1, 1, 5).add(1, 1, 2, 9);
        assertThat(both(one, builder().add(1, 1, 2, 7).add(2, 1, 1, 3)))
                .isEqualTo(builder().add(1, 1, 2, 7).build());
        assertThat(both(one, builder())).isNull();
        assertThat(both(builder(), one)).isNull();
        assertThat(both(one, builder().add(2, 1, 1, 3))).isNull();
        assertThat(both(builder(), builder())).isNull();
    }

    @Test
    void of_two_positions_of_a_stream_it_has_the_higher_one() {
        CameBefore before = of(builder().add(1, 1, 1, 5).add(1, 1, 1, 7).add(1, 1, 1, 6));
        assertThat(before.has(1, 1, 1, 7)).isTrue();
        assertThat(before.has(1, 1, 1, 8)).isFalse();
    }
}
