package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.RepeatedEvents;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatedEventsTest {
    private final TestNode node =
            new TestNode(1, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private final List<String> log = new ArrayList<>();
    private final RepeatedEvents events = new RepeatedEvents(log::add, node.shards[0]);

    private void pass(long ms) {
        node.tick(ms);
    }

    @Test
    void first_event_of_each_kind_is_logged_at_once_and_the_end_of_a_burst_with_its_count() {
        for (int i = 0; i < 14; i++) {
            events.add("topic", "topic a", "Closed a");
        }
        events.add("topic", "topic b", "Closed b");
        events.add("limit", "limit a", "Refused a");
        assertThat(log).containsExactly("Closed a", "Closed b", "Refused a");
        pass(RepeatedEvents.WINDOW_MS + 1_000);
        assertThat(log).hasSize(4).endsWith("Closed a (13 more times within 10 s)");
    }

    @Test
    void kind_that_was_quiet_is_logged_at_once_again() {
        events.add("topic", "topic a", "Closed a");
        pass(RepeatedEvents.WINDOW_MS + 1_000);
        events.add("topic", "topic a", "Closed a");
        assertThat(log).containsExactly("Closed a", "Closed a");
    }

    @Test
    void storm_of_new_names_is_counted_by_cause_and_takes_no_more_memory() {
        for (int i = 0; i < 10_000; i++) {
            events.add("not-authorized", "c" + i, "Refused c" + i);
        }
        assertThat(log).hasSize(RepeatedEvents.KINDS_MAX);
        pass(RepeatedEvents.WINDOW_MS + 1_000);
        assertThat(log)
                .hasSize(RepeatedEvents.KINDS_MAX + 1)
                .endsWith(
                        "not-authorized: "
                                + (10_000 - RepeatedEvents.KINDS_MAX)
                                + " more from other clients within 10 s");
    }
}
