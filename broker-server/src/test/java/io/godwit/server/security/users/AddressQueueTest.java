package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressQueueTest {
    private final AddressQueue<String> queue = new AddressQueue<>(6);

    @Test
    void addresses_have_their_turns() {
        for (String each : List.of("a1", "a2", "a3", "b1", "c1", "c2")) {
            assertThat(queue.add(each.substring(0, 1), each)).isNull();
        }
        assertThat(all()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    }

    @Test
    void full_queue_gives_a_place_of_the_address_with_most_to_one_with_fewer() {
        for (int i = 1; i <= 6; i++) {
            queue.add("a", "a" + i);
        }
        assertThat(queue.add("a", "a7")).isEqualTo("a7");
        assertThat(queue.add("b", "b1")).isEqualTo("a6");
        assertThat(queue.add("b", "b2")).isEqualTo("a5");
        assertThat(queue.add("b", "b3")).isEqualTo("a4");
        assertThat(queue.add("b", "b4")).isEqualTo("b4");
        assertThat(queue.size()).isEqualTo(6);
        assertThat(all()).containsExactly("a1", "b1", "a2", "b2", "a3", "b3");
    }

    @Test
    void address_with_one_entry_keeps_it() {
        for (int i = 1; i <= 6; i++) {
            queue.add("a" + i, "a" + i);
        }
        assertThat(queue.add("b", "b")).isEqualTo("b");
    }

    private List<String> all() {
        List<String> all = new ArrayList<>();
        for (String each = queue.poll(); each != null; each = queue.poll()) {
            all.add(each);
        }
        return all;
    }
}
