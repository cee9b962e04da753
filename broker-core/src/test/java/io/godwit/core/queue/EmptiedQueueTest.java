package io.godwit.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was needed for much is not kept by a session that has little. */
class EmptiedQueueTest {
    private static final int MANY = 1_000;

    private final InFlightWindow window = new InFlightWindow(Rules.ALL, 0, true);
    private final MemoryTail tail = new MemoryTail();

    private static QueueEntry entry(int id) {
        return new QueueEntry(0, id, null, 1, false, new int[0], null);
    }

    private List<Integer> fill() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            ids.add(window.add(entry(i)));
        }
        return ids;
    }

    private void fillAndEmpty() {
        fill().forEach(window::remove);
    }

    @Test
    void a_window_that_empties_again_and_again_with_little_in_it_gets_small() {
        for (int i = 0; i < 3; i++) {
            fillAndEmpty();
            assertThat(window.capacity()).as("while much is sent").isEqualTo(2_048);
        }
        for (int i = 0; i < 10; i++) {
            window.remove(window.add(entry(i)));
        }
        assertThat(window.capacity()).isEqualTo(64);
    }

    @Test
    void packet_ids_go_on_where_they_were() {
        fillAndEmpty();
        assertThat(window.add(entry(1))).isEqualTo(MANY + 1);
        assertThat(window.get(MANY + 1)).isNotNull();
        window.remove(MANY + 1);
        window.shrink();
        assertThat(window.capacity()).isEqualTo(8);
        assertThat(window.add(entry(2))).isEqualTo(MANY + 2);
        assertThat(window.size()).isEqualTo(1);
    }

    @Test
    void a_window_with_something_in_it_stays_as_it_is() {
        fill().stream().skip(1).forEach(window::remove);
        window.shrink();
        assertThat(window.size()).isEqualTo(1);
        assertThat(window.get(1)).isNotNull();
        assertThat(window.capacity()).isEqualTo(2_048);
    }

    @Test
    void the_array_of_what_has_waited_goes_with_the_last_of_it() {
        for (int i = 0; i < MANY; i++) {
            tail.add(entry(i));
        }
        assertThat(tail.most()).isEqualTo(MANY);
        for (int i = 0; i < MANY; i++) {
            assertThat(tail.remove().messageId).isEqualTo(i);
        }
        assertThat(tail.most()).isZero();
        tail.add(entry(0));
        assertThat(tail.size()).isEqualTo(1);
    }
}
