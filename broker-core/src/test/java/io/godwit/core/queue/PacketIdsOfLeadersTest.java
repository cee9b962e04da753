package io.godwit.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Packet ids of a session begin elsewhere at each of its leaders, and in each of their starts. */
class PacketIdsOfLeadersTest {
    private static final long QUEUE = 7L << 40 | 3;

    private static int first(long seed, long queueId) {
        return ShardQueues.drawn(seed, queueId);
    }

    @Test
    void starts_and_nodes_are_far_apart_mostly() {
        int[] starts =
                IntStream.rangeClosed(1, 200)
                        .map(start -> first(5L << 32 | start, QUEUE))
                        .toArray();
        assertThat(IntStream.of(starts).allMatch(id -> id >= 0 && id < 0xFFFF)).isTrue();
        assertThat(IntStream.of(starts).distinct().count()).isGreaterThan(190);
        assertThat(first(5L << 32 | 1, QUEUE)).isNotEqualTo(first(6L << 32 | 1, QUEUE));
        assertThat(first(5L << 32 | 1, QUEUE)).isEqualTo(starts[0]);
    }
}
