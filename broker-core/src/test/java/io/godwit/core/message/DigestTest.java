package io.godwit.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two queues with the same contents have the same digest. */
class DigestTest {
    @Test
    void a_digest_is_the_same_whatever_came_and_went_in_between() {
        Digest one = new Digest();
        Digest other = new Digest();
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            long clock = random.nextLong();
            int status = random.nextInt(3);
            one.add(clock, 7, status, 5);
            other.add(clock + 1, 7, status, 5);
            other.add(clock, 7, status, 5);
            other.remove(clock + 1, 7, status, 5);
        }
        assertThat(one.isSame(other)).isTrue();
        Digest sum = new Digest();
        sum.add(one);
        sum.add(other);
        one.add(5, 7, Digest.GOT, 5);
        sum.add(5, 7, Digest.GOT, 5);
        one.add(other);
        assertThat(sum.isSame(one)).as("of digests").isTrue();
        other = new Digest(one.high(), one.low());
        other.add(1, 7, Digest.IN_FLIGHT, 5);
        one.add(1, 7, Digest.IN_FLIGHT, 6);
        assertThat(one.isSame(other)).isFalse();
    }
}
