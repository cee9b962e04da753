package io.godwit.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.StartFailed;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartNumberTest {
    @TempDir Path folder;

    @Test
    void each_start_has_the_next_number() throws StartFailed {
        assertThat(StartNumber.next(folder)).isEqualTo(1);
        assertThat(StartNumber.next(folder)).isEqualTo(2);
        assertThat(folder.resolve("starts")).hasContent("2\n");
    }

    @Test
    void a_damaged_number_does_not_begin_anew() throws Exception {
        Files.writeString(folder.resolve("starts"), "two");
        assertThatThrownBy(() -> StartNumber.next(folder))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("starts should hold how often this node was started");
        assertThat(folder.resolve("starts")).hasContent("two");
    }
}
