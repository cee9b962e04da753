package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Broken promises about what is retained, planted as in {@link CheckerTest}. */
class RetainedTest {
    private final Checker checker = new Checker(new History(7));
    private final Retained retained = new Retained(checker);
    private final Mark first = new Mark(3, "r/t/a0", 1, 1);
    private final Mark second = new Mark(3, "r/t/a0", 1, 2);

    private void reads(@Nullable Mark value) {
        Map<String, Mark> values = value == null ? Map.of() : Map.of(value.topic(), value);
        retained.check(retained.acknowledged(), retained.certain(), values);
    }

    @Test
    void a_value_that_was_acknowledged_and_is_not_there() {
        retained.sent(first);
        retained.acked(first);
        reads(null);
        assertThat(checker.violations())
                .extracting(Violation::kind)
                .containsExactly(Violation.Kind.RETAINED);
    }

    @Test
    void an_older_value_than_the_acknowledged_one() {
        retained.sent(first);
        retained.acked(first);
        retained.sent(second);
        reads(first);
        reads(second);
        assertThat(checker.violations()).isEmpty();
        retained.acked(second);
        reads(first);
        assertThat(checker.violations()).hasSize(1);
    }

    @Test
    void a_value_that_was_deleted() {
        for (int seq = 1; seq <= 5; seq++) {
            retained.sent(new Mark(3, "r/t/a0", 1, seq));
            retained.acked(new Mark(3, "r/t/a0", 1, seq));
        }
        assertThat(Retained.deletes(5)).isTrue();
        reads(null);
        assertThat(checker.violations()).isEmpty();
        reads(second);
        assertThat(checker.violations()).hasSize(1);
    }
}
