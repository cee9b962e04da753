package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RoundWaitsTest {
    private final Map<Integer, NodeStart> linked = new HashMap<>();
    private final Deque<Runnable> handled = new ArrayDeque<>();
    private final Deque<Runnable> answered = new ArrayDeque<>();
    private final Deque<Runnable> late = new ArrayDeque<>();
    private final List<Boolean> told = new ArrayList<>();

    private final RoundWaits waits =
            new RoundWaits(
                    new LastWord() {
                        @Override
                        public void whenClear(int server, Object what, Runnable task) {
                            assertThat(server).isEqualTo(1);
                            handled.add(task);
                        }

                        @Override
                        public void whenAnswered(int server, Object what, Runnable task) {
                            assertThat(server).isEqualTo(1);
                            answered.add(task);
                        }
                    },
                    linked::get,
                    late::add);

    private void waitsForNodes1And2() {
        link(1, 7);
        link(2, 7);
        waits.whenComeRound(List.of(1, 2), told::add);
    }

    private void link(int server, long start) {
        linked.put(server, new NodeStart(server, start));
    }

    private static void next(Deque<Runnable> of) {
        Objects.requireNonNull(of.poll()).run();
    }

    @Test
    void it_has_come_round_when_the_first_home_has_answered() {
        waitsForNodes1And2();
        next(answered);
        assertThat(told).containsExactly(true);
        next(handled);
        assertThat(late).isEmpty();
    }

    @Test
    void what_is_handled_is_not_waited_for_without_end() {
        waitsForNodes1And2();
        assertThat(late).isEmpty();
        next(handled);
        assertThat(told).isEmpty();
        next(late);
        assertThat(told).containsExactly(false);
        next(answered);
        assertThat(told).as("once").hasSize(1);
    }

    @Test
    void it_may_be_answered_in_that_time() {
        waitsForNodes1And2();
        next(handled);
        next(answered);
        next(late);
        assertThat(told).containsExactly(true);
    }

    @Test
    void the_time_does_not_count_while_a_home_is_away() {
        waitsForNodes1And2();
        linked.remove(2);
        next(handled);
        next(late);
        assertThat(told).isEmpty();
        link(2, 7);
        next(handled);
        next(late);
        assertThat(told).containsExactly(false);
    }

    /** It hears again of what was not answered, and passes that on. */
    @Test
    void nor_when_one_has_started_anew() {
        waitsForNodes1And2();
        next(handled);
        link(1, 8);
        next(late);
        assertThat(told).isEmpty();
        next(handled);
        next(late);
        assertThat(told).containsExactly(false);
    }
}
