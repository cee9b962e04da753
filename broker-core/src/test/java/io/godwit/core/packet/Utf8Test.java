package io.godwit.core.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A name is found by the bytes of a packet as by itself. */
class Utf8Test {
    @Test
    void the_hash_of_a_range_is_that_of_the_value_made_of_it() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1_000; i++) {
            byte[] packet = new byte[random.nextInt(1, 300)];
            random.nextBytes(packet);
            int from = random.nextInt(packet.length);
            int length = random.nextInt(packet.length - from + 1);
            byte[] name = new byte[length];
            System.arraycopy(packet, from, name, 0, length);
            assertThat(Utf8.hash(packet, from, length))
                    .isEqualTo(new Topic(name).hashCode())
                    .isEqualTo(new ClientId(name).hashCode());
        }
    }
}
