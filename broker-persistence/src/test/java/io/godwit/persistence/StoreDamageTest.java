package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.health.StoreDamage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** However often damage is met, it is told and counted once. */
class StoreDamageTest {
    private final StoreDamage damage = new StoreDamage();

    @Test
    void each_queue_counts_once_also_those_that_are_not_named() {
        for (int time = 0; time < 3; time++) {
            for (long queue = 1; queue <= 150; queue++) {
                damage.ofQueue(queue, new IOException("block of " + queue));
            }
        }
        assertThat(damage.queues()).isEqualTo(150);
        assertThat(damage.text()).hasSize(100).contains("block of 1");
    }

    @Test
    void what_belongs_to_no_queue_is_told_beside_them() {
        damage.of("the sweep", new IOException("block of times"));
        damage.of("the sweep", new IOException("block of times"));
        damage.ofQueue(7, new IOException("block of 7"));
        assertThat(damage.queues()).isEqualTo(1);
        assertThat(damage.text()).containsExactly("block of times", "block of 7");
    }
}
