package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.Rules;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds of {@link RoamingClients} of every kind; {@link RoamingClientsMain} runs more. */
class RoamingSeedsTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void subscribers_that_change_nodes_get_everything_in_order_and_qos_2_once(long seed) {
        Map<String, Integer> counts = RoamingClients.run(seed, false, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void subscribers_that_change_nodes_get_everything_while_nodes_die_and_links_break(long seed) {
        Map<String, Integer> counts = RoamingClients.run(seed, true, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("steps with a dead node")).isGreaterThan(10);
        assertThat(counts.get("links broken")).isGreaterThan(3);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {8, 13, 20, 22})
    void messages_that_are_slower_than_what_nodes_tell_each_other_come_once(long seed) {
        Map<String, Integer> counts =
                RoamingClients.run(seed, true, true, false, false, false, true, Rules.ALL);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("drains")).isGreaterThan(1);
    }

    /** A node starts anew, and is sent again what had come to it before a session subscribed. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {19, 54, 203, 4085, 4315})
    void message_that_comes_again_after_a_start_does_not_come_behind_newer_ones(long seed) {
        RoamingClients.run(seed, true, false, false, true, false, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nodes_leave_and_come_back_and_nothing_is_lost(long seed) {
        Map<String, Integer> counts = RoamingClients.run(seed, false, true);
        assertThat(counts.get("drains")).isGreaterThan(1);
        assertThat(counts.get("drained")).isGreaterThan(0);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 4, 5})
    void subscribers_of_one_topic_get_everything_in_order_and_nothing_after_unsuback(long seed) {
        RoamingClients.run(seed, false, false, false, true, Rules.ALL);
        Map<String, Integer> counts = RoamingClients.run(seed, false, true, false, true, Rules.ALL);
        assertThat(counts.get("churned")).isGreaterThan(10);
        RoamingClients.run(seed, true, true, false, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void members_of_a_shared_group_that_change_nodes_get_everything(long seed) {
        Map<String, Integer> counts = RoamingClients.run(seed, false, true, true, false, Rules.ALL);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        RoamingClients.run(seed, true, true, true, false, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {16, 22, 142})
    void publishers_and_subscribers_change_nodes_while_all_of_that_happens(long seed) {
        RoamingClients.run(seed, true, false, false, true, true, true, Rules.ALL);
        RoamingClients.run(seed, true, true, false, true, true, true, Rules.ALL);
        RoamingClients.run(seed, true, true, true, true, true, true, Rules.ALL);
    }
}
