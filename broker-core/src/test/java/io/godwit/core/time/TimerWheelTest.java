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

    @Test
    void many_that_are_due_at_once_are_fired_in_slices_each_of_them_once() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            wheel.arm(timer("t" + i), 200 + i % 2 * 100);
            names.add("t" + i + "@300");
        }
        int slices = 1;
        int before = 0;
        while (!wheel.advance(300)) {
            assertThat(fired.size() - before).isBetween(1, 100);
            before = fired.size();
            slices++;
        }
        assertThat(slices).isGreaterThanOrEqualTo(10);
        assertThat(fired).containsExactlyInAnyOrderElementsOf(names);
        assertThat(fired.subList(0, 500)).as("the earlier tick first").allMatch(this::isEven);
    }

    private boolean isEven(String name) {
        return Integer.parseInt(name.substring(1, name.indexOf('@'))) % 2 == 0;
    }

    @Test
    void a_timer_that_is_cancelled_or_moved_between_two_slices_hides_nobody_behind_it() {
        List<Timer> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Timer timer = timer("t" + i);
            all.add(timer);
            wheel.arm(timer, 300);
        }
        assertThat(wheel.advance(300)).isFalse();
        List<Timer> waiting = all.stream().filter(Timer::isArmed).toList();
        waiting.forEach(timer -> wheel.arm(timer, 5_000));
        Timer late = timer("late");
        wheel.arm(late, 300);
        while (!wheel.advance(300)) {
            // Whatever is left.
        }
        wheel.advance(400);
        assertThat(fired).hasSize(300 - waiting.size() + 1).contains("late@400");
        while (!wheel.advance(5_000)) {
            // Those that were moved.
        }
        assertThat(fired).hasSize(301).doesNotHaveDuplicates();
    }

    @Test
    void far_deadlines_are_looked_at_in_slices_too() {
        for (int i = 0; i < 25_000; i++) {
            wheel.arm(timer("far"), 300_000);
        }
        wheel.advance(150_000); // Behind its slot in the present round.
        while (!wheel.advance(150_000)) {
            // That round's look at them.
        }
        int slices = 1;
        while (!wheel.advance(300_000 - 1024 * 100)) {
            slices++;
        }
        assertThat(slices).isEqualTo(3);
        assertThat(fired).isEmpty();
    }
}
