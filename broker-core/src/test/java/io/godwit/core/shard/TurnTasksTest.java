package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.SettableTime;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many tasks one turn does. */
class TurnTasksTest {
    private final SettableTime time = new SettableTime();
    private final LoneShard shard = new LoneShard(new MemoryStore(), time);
    private final List<Integer> done = new ArrayList<>();

    @BeforeEach
    void connect() {
        shard.connect(new LoopShard[] {shard});
    }

    private void post(int tasks, long tookMs) {
        for (int i = 0; i < tasks; i++) {
            int number = i;
            shard.execute(() -> {
                done.add(number);
                time.advance(tookMs);
            });
        }
    }

    private int turn() {
        int before = done.size();
        shard.onMail();
        shard.onTurnEnd();
        return done.size() - before;
    }

    @Test
    void turn_ends_with_the_task_after_which_it_has_taken_two_milliseconds() {
        post(5, 1);
        assertThat(List.of(turn(), turn(), turn(), turn())).containsExactly(2, 2, 1, 0);
        assertThat(done).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void turn_does_one_task_that_takes_long() {
        post(3, 4);
        assertThat(List.of(turn(), turn(), turn(), turn())).containsExactly(1, 1, 1, 0);
        assertThat(shard.turns().longTurns()).isZero();
    }

    @Test
    void turn_does_all_tasks_that_take_no_time() {
        post(50, 0);
        assertThat(turn()).isEqualTo(50);
    }
}
