package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedAnswerTest {
    private static final HttpAnswer PAGE = HttpAnswer.json("{}");

    private final ArrayDeque<Runnable> elsewhere = new ArrayDeque<>();

    private SharedAnswer shared(long timeoutMs) {
        return new SharedAnswer(() -> PAGE, elsewhere::add, timeoutMs, "too late");
    }

    @Test
    void it_is_made_once_for_all_who_ask_meanwhile() {
        SharedAnswer shared = shared(60_000);
        CompletableFuture<HttpAnswer> first = shared.ask();
        CompletableFuture<HttpAnswer> second = shared.ask();
        assertThat(elsewhere).hasSize(1);
        elsewhere.remove().run();
        assertThat(first).isCompletedWithValue(PAGE);
        assertThat(second).isCompletedWithValue(PAGE);
        assertThat(shared.ask()).isNotDone();
        assertThat(elsewhere).hasSize(1);
    }

    @Test
    void who_asks_for_what_does_not_come_is_told_so_and_it_is_not_begun_twice() throws Exception {
        SharedAnswer shared = shared(1);
        for (int i = 0; i < 2; i++) {
            assertThat(shared.ask().get(60, TimeUnit.SECONDS).status())
                    .isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
        }
        assertThat(elsewhere).hasSize(1);
    }
}
