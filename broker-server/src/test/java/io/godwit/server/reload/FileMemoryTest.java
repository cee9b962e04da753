package io.godwit.server.reload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileMemoryTest {
    private final FileMemory memory = new FileMemory(10 << 20);

    @Test
    void part_that_does_not_fit_beside_the_others_is_a_mistake_that_says_what_is_left() {
        memory.set("users", 4 << 20);
        assertThat(memory.mistake("rules", 6 << 20)).isNull();
        assertThat(memory.mistake("rules", (6 << 20) + 1))
                .startsWith("takes about 7 MiB of memory, and 6 MiB are left for it: ");
        assertThat(memory.bytes()).isEqualTo(4 << 20);
    }

    @Test
    void part_is_counted_in_place_of_what_it_was() {
        memory.set("users", 9 << 20);
        assertThat(memory.mistake("users", 10 << 20)).isNull();
        memory.set("users", 2 << 20);
        memory.set("rules", 3 << 20);
        assertThat(memory.bytes()).isEqualTo(5 << 20);
    }
}
