package io.godwit.core.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueIdBlockTest {
    private static final long BLOCK = IdFloor.QUEUE_BLOCK;

    private final List<Long> asked = new ArrayList<>();
    private final List<Runnable> kept = new ArrayList<>();

    private final QueueIdBlock.Reserve reserve =
            (ceiling, whenKept) -> {
                asked.add(ceiling);
                kept.add(whenKept);
            };

    private static QueueIdBlock from(long counter) {
        return new QueueIdBlock(new IdFloor(1, 0, counter, counter + BLOCK));
    }

    private long give(QueueIdBlock block, long count) {
        long last = 0;
        for (long i = 0; i < count; i++) {
            last = block.next(reserve);
        }
        return last;
    }

    @Test
    void the_next_block_is_asked_for_once_when_half_of_one_is_given() {
        QueueIdBlock block = from(100);
        assertThat(give(block, BLOCK / 2)).isEqualTo(100 + BLOCK / 2);
        assertThat(asked).isEmpty();
        give(block, 10);
        assertThat(asked).containsExactly(100 + 2 * BLOCK);
    }

    @Test
    void nothing_is_given_above_what_is_kept() {
        QueueIdBlock block = from(0);
        assertThat(give(block, BLOCK)).isEqualTo(BLOCK);
        assertThat(block.next(reserve)).isZero();
        assertThat(asked).containsExactly(2 * BLOCK);

        kept.getFirst().run();
        assertThat(give(block, BLOCK)).isEqualTo(2 * BLOCK);
        assertThat(asked).containsExactly(2 * BLOCK, 3 * BLOCK);
        assertThat(block.next(reserve)).isZero();
    }

    @Test
    void the_last_one_of_a_server_id_is_given_and_none_behind_it() {
        QueueIdBlock block = from(QueueId.COUNTER_MAX - BLOCK);
        assertThat(give(block, BLOCK)).isEqualTo(QueueId.COUNTER_MAX);
        assertThat(block.next(reserve)).isZero();
        assertThat(asked).isEmpty();
    }
}
