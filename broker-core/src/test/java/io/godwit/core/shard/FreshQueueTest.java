package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FreshQueueTest {
    private static <T> List<T> all(FreshQueue<T> queue) {
        List<T> found = new ArrayList<>();
        queue.forEach(found::add);
        return found;
    }

    @Test
    void it_is_as_any_other_queue() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            FreshQueue<Integer> queue = new FreshQueue<>();
            ArrayDeque<Integer> model = new ArrayDeque<>();
            int most = 1 + random.nextInt(300);
            for (int i = 0; i < 2_000; i++) {
                if (random.nextInt(500) == 0) {
                    queue.clear();
                    model.clear();
                } else if (random.nextInt(2) == 0 && model.size() < most) {
                    queue.add(i);
                    model.add(i);
                } else {
                    assertThat(queue.poll()).isEqualTo(model.poll());
                }
                assertThat(queue.peek()).isEqualTo(model.peek());
                assertThat(queue.size()).isEqualTo(model.size());
                assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
            }
            assertThat(all(queue)).containsExactlyElementsOf(model);
        }
    }

    @Test
    void it_knows_what_is_in_it() {
        FreshQueue<String> queue = new FreshQueue<>();
        for (int i = 0; i < 100; i++) {
            queue.add("v" + i);
        }
        String last = "last";
        queue.add(last);
        assertThat(queue.contains(last)).isTrue();
        queue.poll();
        assertThat(queue.contains("gone")).isFalse();
    }
}
