package io.godwit.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IngressId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IngressMemoryTest {
    @Test
    void has_what_came_and_did_not_go_in_the_order_in_which_it_came() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            IngressMemory memory = new IngressMemory();
            Map<IngressId, Long> expected = new LinkedHashMap<>();
            for (int step = 0; step < 2_000; step++) {
                // Few numbers, so that many are looked for again; steps of shards, as they rise.
                int server = random.nextInt(3);
                long counter = IngressId.counter(1, 4L * random.nextInt(300));
                IngressId id = new IngressId(server, counter);
                assertThat(memory.has(server, counter)).isEqualTo(expected.containsKey(id));
                if (expected.containsKey(id) || random.nextInt(100) < seed) {
                    IngressMemory.Entry gone = memory.remove(server, counter);
                    Long clock = expected.remove(id);
                    assertThat(gone == null ? null : (Long) gone.clock).isEqualTo(clock);
                } else {
                    memory.add(new IngressMemory.Entry(1, step, 7, server, counter));
                    expected.put(id, (long) step);
                }
                assertThat(memory.size()).isEqualTo(expected.size());
                Iterator<Long> first = expected.values().iterator();
                IngressMemory.Entry oldest = memory.oldest();
                assertThat(oldest == null ? null : (Long) oldest.clock)
                        .isEqualTo(first.hasNext() ? first.next() : null);
            }
            List<Long> clocks = new ArrayList<>();
            for (IngressMemory.Entry each = memory.oldest();
                    each != null;
                    each = IngressMemory.after(each)) {
                clocks.add(each.clock);
            }
            assertThat(clocks).containsExactlyElementsOf(expected.values());
        }
    }
}
