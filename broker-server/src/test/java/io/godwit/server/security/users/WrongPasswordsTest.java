package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WrongPasswordsTest {
    private static final long PATIENCE_MS = 60_000;

    private final WrongPasswords wrong = new WrongPasswords();
    private long nowMs = 1_000_000;

    @Test
    void tries_for_a_user_wait_1_2_4_to_30_seconds_after_five_wrong_ones() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 13; i++) {
            long wait = turn("a", 1);
            waits.add(wait);
            nowMs += wait;
            wrong.failed("a", 1, nowMs);
        }
        assertThat(waits)
                .containsExactly(
                        0L, 0L, 0L, 0L, 0L, 1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 30_000L,
                        30_000L, 30_000L);
    }

    @Test
    void tries_at_the_same_moment_have_one_turn_after_the_other() {
        fail("a", 1, 5);
        assertThat(turn("a", 1)).isEqualTo(1_000);
        assertThat(turn("a", 1)).isEqualTo(2_000);
        assertThat(turn("a", 1)).isEqualTo(3_000);
    }

    @Test
    void who_would_wait_too_long_gets_no_turn_and_takes_none_from_others() {
        fail("a", 1, 10);
        for (int i = 0; i < 1_000; i++) {
            assertThat(wrong.turn("a", 1, nowMs, 5_000)).isEqualTo(WrongPasswords.TOO_LONG);
        }
        nowMs += 30_000;
        assertThat(turn("a", 1)).isZero();
    }

    @Test
    void another_user_and_another_address_do_not_wait() {
        fail("a", 1, 49);
        assertThat(turn("a", 2)).isZero();
        assertThat(turn("b", 1)).isZero();
    }

    @Test
    void address_waits_for_any_user_after_fifty_wrong_ones() {
        for (int user = 0; user < 50; user++) {
            fail("a", user, 1);
        }
        assertThat(turn("a", 1_000)).isEqualTo(1_000);
        assertThat(turn("b", 1_000)).isZero();
    }

    @Test
    void right_password_forgets_the_wrong_ones_for_that_user_and_not_those_of_the_address() {
        fail("a", 1, 5);
        wrong.succeeded("a", 1);
        assertThat(turn("a", 1)).isZero();
        for (int user = 100; user < 145; user++) {
            fail("a", user, 1);
        }
        wrong.succeeded("a", 1);
        assertThat(turn("a", 1)).isEqualTo(1_000);
    }

    @Test
    void four_wrong_ones_in_each_minute_are_for_ever_allowed() {
        for (int i = 0; i < 10; i++) {
            fail("a", 1, 4);
            assertThat(turn("a", 1)).isZero();
            nowMs += 60_000;
        }
    }

    @Test
    void minute_without_a_wrong_one_ends_the_waiting() {
        fail("a", 1, 9);
        nowMs += 59_999;
        assertThat(wrong.isSlowed("a", 1, nowMs)).isTrue();
        nowMs += 1;
        assertThat(wrong.isSlowed("a", 1, nowMs)).isFalse();
        assertThat(turn("a", 1)).isZero();
    }

    @Test
    void table_is_bounded_and_forgets_the_oldest() {
        fail("victim", 1, 5);
        for (int i = 0; i < 3 * WrongPasswords.RECORDS_MAX; i++) {
            fail("a" + i, i, 1);
        }
        assertThat(wrong.size()).isEqualTo(2 * WrongPasswords.RECORDS_MAX);
        assertThat(turn("victim", 1)).isZero();
    }

    @Test
    void log_has_the_first_of_an_address_and_user_and_then_how_many_in_ten_seconds() {
        assertThat(wrong.failed("a", 1, nowMs)).isOne();
        for (int i = 0; i < 99; i++) {
            assertThat(wrong.failed("a", 1, nowMs + 9_000)).isZero();
        }
        assertThat(wrong.failed("b", 1, nowMs + 9_000)).isOne();
        assertThat(wrong.failed("a", 1, nowMs + 10_000)).isEqualTo(100);
    }

    private long turn(String address, long user) {
        return wrong.turn(address, user, nowMs, PATIENCE_MS);
    }

    private void fail(String address, long user, int times) {
        for (int i = 0; i < times; i++) {
            wrong.failed(address, user, nowMs);
        }
    }
}
