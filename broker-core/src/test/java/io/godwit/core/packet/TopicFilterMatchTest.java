package io.godwit.core.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One filter and one topic, level by level. */
class TopicFilterMatchTest {
    @ParameterizedTest(name = "{0} and {1}: {2}")
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a, aa, false",
        "aa, a, false",
        "a, a/, false",
        "a/, a, false",
        "a/, a/, true",
        "a/, a/b, false",
        "a/b, a, false",
        "a//b, a//b, true",
        "a//b, a/b, false",
        "/, /, true",
        "/a, /a, true",
        "+, a, true",
        "+, /, false",
        "+, a/b, false",
        "+/+, /, true",
        "+/+, /a, true",
        "/+, /, true",
        "a/+, a/, true",
        "a/+, a/b, true",
        "a/+, a, false",
        "a/+, a/b/c, false",
        "a/+/c, a/b/c, true",
        "a/+/c, a/b/d, false",
        "a/+/c, a//c, true",
        "#, a, true",
        "#, /, true",
        "#, a/b/c, true",
        "a/#, a, true",
        "a/#, a/, true",
        "a/#, a/b/c, true",
        "a/#, ab, false",
        "+/#, a, true",
        "a/+/#, a/b, true",
        "a/+/#, a, false",
        "#, $SYS/a, false",
        "+/a, $SYS/a, false",
        "$SYS/#, $SYS/a, true",
        "$SYS/+, $SYS/a, true",
    })
    void matches(String filter, String topic, boolean isMatch) {
        assertThat(TopicFilter.of(filter).matches(Topic.of(topic))).isEqualTo(isMatch);
    }
}
