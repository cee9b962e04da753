package io.godwit.persistence.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.disk.DiskFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StallWatchTest {
    private final List<DiskFailure> hung = new ArrayList<>();

    private StallWatch watch(long stallMs, long hungMs) {
        return new StallWatch(Path.of("store"), stallMs, hungMs, hung::add);
    }

    @Test
    void a_disk_that_does_not_answer_is_stalled_until_it_does() {
        StallWatch watch = watch(5_000, 60_000);
        watch.tick(4_999);
        assertThat(watch.isStalled()).isFalse();
        watch.tick(5_000);
        assertThat(watch.isStalled()).isTrue();
        watch.tick(59_999);
        assertThat(watch.isStalled()).isTrue();
        watch.tick(0);
        assertThat(watch.isStalled()).isFalse();
        assertThat(hung).isEmpty();
    }

    @Test
    void one_that_never_answers_is_given_up_once() {
        StallWatch watch = watch(5_000, 60_000);
        watch.tick(60_000);
        watch.tick(60_250);
        assertThat(watch.isStalled()).isTrue();
        assertThat(hung)
                .singleElement()
                .satisfies(each ->
                        assertThat(each)
                                .hasMessage(
                                        "the disk under store has not answered for 60000 ms"
                                                + " (durability.stall-exit)"));
    }

    @Test
    void nobody_looks_when_the_operator_says_so() {
        StallWatch watch = watch(0, 0);
        watch.tick(1_000_000);
        assertThat(watch.isStalled()).isFalse();
        assertThat(hung).isEmpty();
    }
}
