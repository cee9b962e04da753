package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CameUpToTest {
    private final CameUpTo came = new CameUpTo();

    @Test
    void nothing_may_come_again_of_a_stream_of_which_nothing_came() {
        came.show(0, false, 10);
        assertThat(came.mayComeAgain(10)).isZero();
    }

    @Test
    void what_is_not_answered_may_come_again_however_long_that_lasts() {
        came.heard(6);
        came.show(7, true, 10);
        assertThat(came.mayComeAgain(1_000_000)).isEqualTo(7);
    }

    @Test
    void what_is_answered_may_come_again_until_that_was_heard() {
        came.show(7, false, 10);
        assertThat(came.mayComeAgain(10)).isEqualTo(7);
        came.heard(7);
        came.show(7, false, 10);
        assertThat(came.mayComeAgain(10)).isZero();
    }

    @Test
    void an_answer_has_been_heard_after_five_seconds_unless_its_link_has_ended() {
        came.show(7, false, 10);
        assertThat(came.mayComeAgain(5_009)).isEqualTo(7);
        assertThat(came.mayComeAgain(5_010)).isZero();
        came.linkEnded();
        assertThat(came.mayComeAgain(1_000_000)).isEqualTo(7);
    }

    @Test
    void a_position_may_come_again_until_that_was_heard_whatever_has_come_since() {
        came.heard(6);
        came.show(9, true, 10);
        assertThat(came.mayComeAgain(7, 10)).isTrue();
        came.heard(7);
        assertThat(came.mayComeAgain(7, 10)).isFalse();
        assertThat(came.mayComeAgain(8, 1_000_000)).isTrue();
        came.show(9, false, 10);
        assertThat(came.mayComeAgain(8, 5_009)).isTrue();
        assertThat(came.mayComeAgain(8, 5_010)).isFalse();
    }

    @Test
    void what_an_earlier_start_has_seen_may_come_again_before_it_is_here() {
        came.heard(6);
        came.show(0, false, 10);
        assertThat(came.mayComeAgain(7, 1_000_000)).isTrue();
        assertThat(came.mayComeAgain(6, 10)).isFalse();
    }
}
