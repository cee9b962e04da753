package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeadersTest {
    private final Leaders leaders = new Leaders();

    @Test
    void session_may_be_where_it_was_found_before_a_fault_and_after_it() {
        leaders.found("a", 0);
        leaders.lookAgain();
        leaders.found("a", 2);
        assertThat(leaders.of("a")).containsExactlyInAnyOrder(0, 2);
        assertThat(leaders.mayLead("a", 2)).isTrue();
        assertThat(leaders.mayLead("a", 0)).isFalse();
        leaders.lookAgain();
        leaders.found("a", 2);
        assertThat(leaders.of("a")).containsExactly(2);
    }

    @Test
    void session_that_was_never_seen_may_be_anywhere() {
        assertThat(leaders.of("a")).isEmpty();
        assertThat(leaders.mayLead("a", 1)).isTrue();
    }

    @Test
    void session_that_is_not_found_once_more_is_taken_to_be_where_it_was() {
        leaders.found("a", 1);
        leaders.lookAgain();
        assertThat(leaders.of("a")).containsExactly(1);
        assertThat(leaders.mayLead("a", 0)).isFalse();
    }
}
