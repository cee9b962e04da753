package io.godwit.persistence.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Commits start further apart while most of what they take needs not be written any more. */
class CommitPaceTest {
    private static final int LEAST = 500;

    private final CommitPace pace = new CommitPace(LEAST, 2048);

    private void commits(int times, int told, int cancelled) {
        for (int i = 0; i < times; i++) {
            pace.committed(told, cancelled, 0);
        }
    }

    @Test
    void what_is_acknowledged_at_once_makes_them_four_times_as_rare_and_no_more() {
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
        commits(1, 4000, 2400);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST * 3 / 2);
        commits(20, 400_000, 399_000);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST * 4);
    }

    @Test
    void with_slow_subscribers_they_stay_as_near_as_configured() {
        commits(20, 4000, 200);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
    }

    @Test
    void with_little_to_commit_nobody_waits_longer() {
        commits(20, 100, 100);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
    }

    @Test
    void they_are_near_again_soon_after_the_load_has_changed() {
        commits(20, 4000, 3900);
        commits(2, 4000, 0);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
        commits(20, 4000, 3900);
        commits(2, 10, 10);
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
    }

    @Test
    void between_the_two_nothing_changes() {
        commits(2, 4000, 3900);
        long before = pace.gatherNanos();
        commits(20, 4000, 1000);
        assertThat(pace.gatherNanos()).isEqualTo(before).isGreaterThan(LEAST);
    }

    @Test
    void acknowledgements_that_come_soon_after_the_write_make_them_rarer() {
        for (int i = 0; i < 30; i++) {
            pace.committed(4000, 0, 1000);
        }
        assertThat(pace.gatherNanos()).isEqualTo(8_000_000);
        commits(20, 4000, 3900);
        assertThat(pace.gatherNanos()).isEqualTo(8_000_000);
        for (int i = 0; i < 30; i++) {
            pace.committed(4000, 0, 300);
        }
        assertThat(pace.gatherNanos()).isEqualTo(LEAST);
    }

    @Test
    void a_long_least_time_is_not_made_longer() {
        CommitPace second = new CommitPace(1_000_000_000, 2048);
        second.committed(4000, 3900, 0);
        assertThat(second.gatherNanos()).isEqualTo(1_000_000_000);
        CommitPace two = new CommitPace(2_000_000, 2048);
        two.committed(4000, 3900, 0);
        two.committed(4000, 3900, 0);
        assertThat(two.gatherNanos()).isEqualTo(4_000_000);
    }

    @Test
    void without_a_least_time_each_starts_at_once() {
        CommitPace none = new CommitPace(0, 2048);
        none.committed(4000, 3900, 0);
        assertThat(none.gatherNanos()).isZero();
    }
}
