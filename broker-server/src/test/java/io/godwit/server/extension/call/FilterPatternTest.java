package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterPatternTest {
    @ParameterizedTest
    @CsvSource({
        "#,a/b,true",
        "#,$SYS/a,true",
        "a/b,a/b,true",
        "a/b,a/bc,false",
        "a/b,a,false",
        "a/#,a,true",
        "a/#,a/,true",
        "a/#,a/b/c,true",
        "a/#,ab,false",
        "a/+,a,false",
        "a/+,a/,true",
        "a/+,a/b,true",
        "a/+,a/b/c,false",
        "+/b,a/b,true",
        "+/b,/b,true",
        "+/b,$a/b,false",
        "+,a,true",
        "+,$a,false",
        "+/#,a,true",
        "+/#,$a,false",
        "$SYS/#,$SYS/a,true",
        "$SYS/#,$SYS,true",
        "a/+/c/#,a/b/c,true",
        "a/+/c/#,a/b/d,false",
        "a/+/+,a/b,false"
    })
    void a_filter_matches_as_the_standard_says(String filter, String topic, boolean matches) {
        byte[] bytes = topic.getBytes(StandardCharsets.UTF_8);

        assertThat(new FilterPattern(filter).matches(bytes)).isEqualTo(matches);
    }
}
