package io.godwit.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.operation.ByteReader;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnheardTest {
    private static final int SELF = 1;
    private static final Member OTHER = new Member(new NodeStart(2, 1), 5, "other", "");
    private static final List<Member> MEMBERS =
            List.of(new Member(new NodeStart(SELF, 1), 4, "self", ""), OTHER);

    private Unheard unheard = new Unheard(100_000);
    private long nowMs = 1_000_000;

    /** Whether it was forgotten. */
    private boolean pass(long ms, long stepMs, Integer... heard) {
        boolean isDue = false;
        for (long gone = 0; gone < ms; gone += stepMs) {
            nowMs += stepMs;
            isDue |= !unheard.tick(nowMs, MEMBERS, Set.of(heard)).isEmpty();
        }
        return isDue;
    }

    private void restart() {
        Unheard next = new Unheard(100_000);
        next.read(new ByteReader(unheard.toBytes()));
        unheard = next;
        nowMs = 5; // Another process has another monotonic clock.
    }

    @Test
    void a_member_is_due_after_so_long() {
        assertThat(pass(99_900, 100, SELF)).isFalse();
        assertThat(pass(300, 100, SELF)).isTrue();
    }

    @Test
    void one_that_is_heard_again_is_not() {
        assertThat(pass(99_000, 100, SELF)).isFalse();
        assertThat(pass(100, 100, SELF, 2)).isFalse();
        assertThat(unheard.isToSave()).isTrue();
        assertThat(pass(99_000, 100, SELF)).isFalse();
    }

    @Test
    void what_an_earlier_start_has_counted_counts() {
        assertThat(pass(60_100, 100, SELF)).isFalse();
        assertThat(unheard.isToSave()).isTrue();
        assertThat(unheard.isToSave()).isFalse();
        restart();
        assertThat(pass(39_000, 100, SELF)).isFalse();
        assertThat(pass(2_000, 100, SELF)).isTrue();
    }

    /** Its process was stopped, or its machine suspended. */
    @Test
    void time_in_which_this_node_did_not_run_does_not_count() {
        pass(100, 100, SELF);
        assertThat(pass(1_000_000, 1_000_000, SELF)).isFalse();
        assertThat(pass(98_000, 100, SELF)).isFalse();
        assertThat(pass(2_000, 100, SELF)).isTrue();
    }

    /** Another node still hears it, for example. */
    @Test
    void one_that_could_not_be_forgotten_is_due_again_later() {
        assertThat(pass(100_100, 100, SELF)).isTrue();
        assertThat(pass(59_000, 100, SELF)).isFalse();
        assertThat(pass(2_000, 100, SELF)).isTrue();
    }

    @Test
    void without_the_setting_nobody_is_due() {
        unheard = new Unheard(0);
        assertThat(pass(100_000_000, 1_000, SELF)).isFalse();
    }
}
