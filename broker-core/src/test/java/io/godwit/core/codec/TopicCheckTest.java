package io.godwit.core.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicCheckTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "/",
                "//",
                "a//b",
                "\uFEFF",
                "a/\uFFFF",
                "$SYS/x",
                " ",
                "\uD83D\uDE00/\u00FC"
            })
    void are_topic_names_and_filters(String topic) {
        assertThat(isTopicName(topic)).isTrue();
        assertThat(isTopicFilter(topic)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#",
                "+",
                "/#",
                "+/",
                "/+",
                "+/+",
                "a/#",
                "a/+/b",
                "+/a/#",
                "$SYS/#",
                "$share/g/#",
                "$share/g/a/+",
                "$share/g//",
                "$share/g//a",
                "$share/\u00FC/+"
            })
    void are_filters_only(String filter) {
        assertThat(isTopicFilter(filter)).isTrue();
        assertThat(isTopicName(filter)).isEqualTo(!filter.contains("+") && !filter.contains("#"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a#",
                "#a",
                "#/a",
                "##",
                "a/#/b",
                "a+",
                "+a",
                "++",
                "a/b+",
                "a/+b/c",
                "$share/",
                "$share//",
                "$share//a",
                "$share/g",
                "$share/g/",
                "$share/+/a",
                "$share/g#/a",
                "$share/g/#/a",
                "$share/g/a+"
            })
    void are_no_filters(String filter) {
        assertThat(isTopicFilter(filter)).isFalse();
    }

    private static boolean isTopicName(String topic) {
        byte[] bytes = topic.getBytes(UTF_8);
        boolean verdict = TopicCheck.isTopicName(bytes);
        assertThat(TopicCheck.isTopicName(Unpooled.wrappedBuffer(bytes), 0, bytes.length))
                .isEqualTo(verdict);
        return verdict;
    }

    private static boolean isTopicFilter(String filter) {
        return TopicCheck.isTopicFilter(filter.getBytes(UTF_8));
    }
}
