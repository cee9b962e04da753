package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.call.Breaker.Admission;
import io.godwit.server.extension.call.Breaker.Change;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BreakerTest {
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3); // it wraps

    private final Breaker breaker = new Breaker(nanos);

    @Test
    void nineteen_failed_calls_do_not_open_it_and_the_twentieth_does() {
        for (int i = 0; i < 19; i++) {
            assertThat(call(true)).isEqualTo(Change.NONE);
        }
        assertThat(breaker.isOpen()).isFalse();

        assertThat(call(true)).isEqualTo(Change.OPENED);
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.admit(nanos)).isEqualTo(Admission.REFUSED);
    }

    @Test
    void it_stays_closed_while_more_than_half_succeed_and_opens_at_half() {
        for (int i = 0; i < 21; i++) {
            call(false);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(call(true)).isEqualTo(Change.NONE);
        }

        assertThat(call(true)).isEqualTo(Change.OPENED);
    }

    @Test
    void failures_count_for_ten_seconds() {
        for (int i = 0; i < 19; i++) {
            call(true);
        }
        pass(10_000);

        assertThat(call(true)).isEqualTo(Change.NONE);
        for (int i = 0; i < 18; i++) {
            pass(100);
            assertThat(call(true)).isEqualTo(Change.NONE);
        }
        assertThat(call(true)).isEqualTo(Change.OPENED);
    }

    @Test
    void failures_that_are_spread_thinner_than_twenty_in_ten_seconds_do_not_open_it() {
        for (int i = 0; i < 200; i++) {
            assertThat(call(true)).isEqualTo(Change.NONE);
            pass(600);
        }
    }

    @Test
    void while_it_is_open_one_call_a_second_is_tried() {
        assertThat(breaker.trip(nanos)).isEqualTo(Change.OPENED);
        assertThat(breaker.trip(nanos)).isEqualTo(Change.NONE);
        pass(999);
        assertThat(breaker.admit(nanos)).isEqualTo(Admission.REFUSED);
        pass(1);
        assertThat(breaker.admit(nanos)).isEqualTo(Admission.ON_TRIAL);
        assertThat(breaker.admit(nanos)).isEqualTo(Admission.REFUSED);
    }

    @Test
    void five_tried_calls_that_succeed_in_a_row_close_it() {
        breaker.trip(nanos);
        for (int i = 0; i < 4; i++) {
            assertThat(trial(false)).isEqualTo(Change.NONE);
        }
        assertThat(trial(true)).isEqualTo(Change.NONE);
        for (int i = 0; i < 4; i++) {
            assertThat(trial(false)).isEqualTo(Change.NONE);
        }

        assertThat(trial(false)).isEqualTo(Change.CLOSED);
        assertThat(breaker.admit(nanos)).isEqualTo(Admission.ADMITTED);
        assertThat(call(true)).isEqualTo(Change.NONE); // what was before is forgotten
    }

    @Test
    void calls_that_began_before_it_opened_do_not_close_it() {
        breaker.trip(nanos);
        for (int i = 0; i < 10; i++) {
            assertThat(breaker.count(Admission.ADMITTED, false, nanos)).isEqualTo(Change.NONE);
        }
        assertThat(breaker.isOpen()).isTrue();
    }

    private Change call(boolean isFailure) {
        return breaker.count(breaker.admit(nanos), isFailure, nanos);
    }

    private Change trial(boolean isFailure) {
        pass(1_000);
        Admission admission = breaker.admit(nanos);
        assertThat(admission).isEqualTo(Admission.ON_TRIAL);
        return breaker.count(admission, isFailure, nanos);
    }

    private void pass(long ms) {
        nanos += TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
