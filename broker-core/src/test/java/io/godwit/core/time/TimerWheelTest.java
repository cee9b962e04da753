package io.godwit.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerWheelTest {
    private final TimerWheel wheel = new TimerWheel(100, 0);
    private final List<String> fired = new ArrayList<>();

    private Timer timer(String name, Runnable then) {
        return new Timer() {
            @Override
            protected void onTimer(long nowMs) {
                fired.add(name + "@" + nowMs);
                then.run();
            }
        };
    }

    private Timer timer(String name) {
        return timer(name, () -> {});
    }

    @Test
    void fires_at_the_first_advance_at_or_after_the_deadline() {
        Timer timer = timer("a");
        wheel.arm(timer, 150);
        wheel.advance(149);
        assertThat(fired).isEmpty();
        wheel.advance(200);
        assertThat(fired).containsExactly("a@200");
        assertThat(timer.isArmed()).isFalse();
    }

    @Test
    void fires_what_is_more_than_a_round_away_in_its_own_round() {
        wheel.arm(timer("far"), 250_000);
        wheel.arm(timer("near"), 300);
        for (long now = 0; now < 250_000; now += 100) {
            wheel.advance(now);
        }
        assertThat(fired).containsExactly("near@300");
        wheel.advance(250_000);
        assertThat(fired).containsExactly("near@300", "far@250000");
    }

    @Test
    void a_late_call_misses_nothing() {
        wheel.arm(timer("a"), 500);
        wheel.arm(timer("b"), 90_000);
        wheel.advance(1_000_000);
        assertThat(fired).containsExactlyInAnyOrder("a@1000000", "b@1000000");
    }

    @Test
    void a_timer_that_moves_its_neighbour_hides_nobody_behind_it() {
        wheel.arm(timer("last"), 300);
        Timer neighbour = timer("neighbour");
        wheel.arm(neighbour, 300);
        wheel.arm(timer("first", () -> wheel.arm(neighbour, 5_000)), 300);
        wheel.advance(300);
        assertThat(fired).containsExactly("first@300", "last@300");
        wheel.advance(5_000);
        assertThat(fired).containsExactly("first@300", "last@300", "neighbour@5000");
    }

    @Test
    void a_timer_that_cancels_its_neighbour_hides_nobody_behind_it() {
        wheel.arm(timer("last"), 300);
        Timer neighbour = timer("neighbour");
        wheel.arm(neighbour, 300);
        wheel.arm(timer("first", () -> wheel.cancel(neighbour)), 300);
        wheel.advance(300);
        assertThat(fired).containsExactly("first@300", "last@300");
    }
}
