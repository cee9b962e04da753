package io.godwit.extensions.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.extension.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AnswerCacheTest {
    private static final Verdict NO = new Verdict.Refused(ReasonCode.NOT_AUTHORIZED, "");

    private static Question question(int number) {
        return new Question(("q" + number).getBytes(StandardCharsets.UTF_8), true, null);
    }

    @Test
    void answers_are_bounded_by_their_bytes() {
        AnswerCache cache = new AnswerCache(1_000_000);
        for (int i = 0; i < 1_000; i++) {
            cache.put(cache.keyOf(question(i)), new CachedVerdict(NO, 0, 100), 64 << 10);
        }
        assertThat(cache.size()).isBetween(200, AnswerCache.BYTES_MAX / (64 << 10));
        assertThat(cache.get(cache.keyOf(question(0)), 1)).isNull();
        assertThat(cache.get(cache.keyOf(question(999)), 1)).isNotNull();
    }

    @Test
    void answer_that_replaces_another_or_is_too_old_gives_its_bytes_back() {
        AnswerCache cache = new AnswerCache(1_000_000);
        for (int i = 0; i < 1_000; i++) {
            cache.put(cache.keyOf(question(0)), new CachedVerdict(NO, 0, 100), 64 << 10);
            cache.put(cache.keyOf(question(1)), new CachedVerdict(NO, 0, 100), 64 << 10);
            assertThat(cache.get(cache.keyOf(question(1)), 100)).isNull();
            assertThat(cache.size()).isEqualTo(1);
        }
    }

    @Test
    void key_of_one_process_says_nothing_to_another() {
        assertThat(new AnswerCache(1).keyOf(question(1)))
                .isNotEqualTo(new AnswerCache(1).keyOf(question(1)));
    }

    @Test
    void nothing_is_remembered_with_a_bound_of_0() {
        AnswerCache cache = new AnswerCache(0);
        cache.put(cache.keyOf(question(1)), new CachedVerdict(NO, 0, 100), 0);
        assertThat(cache.size()).isZero();
    }
}
