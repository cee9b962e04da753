package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import org.junit.jupiter.api.Test;

/** Who leads a queue, now and before. */
class QueueLeadersTest {
    private static final Epoch OF_9 = new Epoch(Epoch.number(1, 1), 9);

    private final QueueLeaders leaders = new QueueLeaders();

    @Test
    void leaders_of_a_moment_stay_whatever_changes_later() {
        leaders.accept(1, OF_9);
        leaders.accept(2, OF_9);
        leaders.accept(3, OF_9);
        try (QueueLeaders.Then then = leaders.then()) {
            leaders.remove(1);
            leaders.adopt(2, new Epoch(Epoch.number(2, 1), 7));
            leaders.accept(4, OF_9);
            assertThat(then.leader(1)).isEqualTo(9);
            assertThat(then.leader(2)).isEqualTo(9);
            assertThat(then.leader(3)).isEqualTo(9);
            assertThat(then.leader(4)).as("not known then").isZero();
            leaders.accept(1, new Epoch(Epoch.number(3, 1), 8));
            assertThat(then.leader(1)).isEqualTo(9);
        }
        try (QueueLeaders.Then then = leaders.then()) {
            assertThat(then.leader(1)).isEqualTo(8);
            assertThat(then.leader(2)).as("adopted by this node").isZero();
            assertThat(then.leader(4)).isEqualTo(9);
        }
    }
}
