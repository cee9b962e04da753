package io.godwit.core.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HybridClockTest {
    /** However it comes to them: the lowest above all before, not below the time, of its shard. */
    @Test
    void givesTheLowestValueThatIsItsOwn() {
        SplittableRandom random = new SplittableRandom(1);
        for (int clocks = 0; clocks < 500; clocks++) {
            int shards = random.nextInt(1, 6);
            int shard = random.nextInt(shards);
            HybridClock clock = new HybridClock(shard, shards);
            long wallMs = random.nextInt(1_000);
            long highest = 0;
            for (int i = 0; i < 200; i++) {
                if (random.nextInt(3) == 0) {
                    wallMs += random.nextInt(-1, 2);
                }
                if (random.nextInt(3) == 0) {
                    long seen = highest + random.nextInt(-20, 20);
                    clock.observe(seen);
                    highest = Math.max(highest, seen);
                }
                long expected = Math.max(highest + 1, wallMs << 16);
                while (Math.floorMod(expected, shards) != shard) {
                    expected++;
                }
                highest = clock.next(wallMs);
                assertThat(highest).isEqualTo(expected);
            }
        }
    }
}
