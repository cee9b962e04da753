package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.Map;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds of {@link MovingSessions}: of every kind, and each that has found something. */
@Disabled("needs remote connections")
class MovingSeedsTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 35, 98})
    void whoever_moves_under_live_traffic_gets_everything_in_order_and_qos_2_once(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
    }

    /** What an earlier copy of it there has passed on goes before what comes to it directly. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {14, 18, 117})
    void a_session_that_comes_back_gets_its_messages_in_order(long seed) {
        MovingSessions.run(seed, false, false);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 76, 99})
    void the_same_while_nodes_die_and_links_break(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, true, false);
        assertThat(counts.get("connected")).isGreaterThan(10);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("steps with a dead node")).isGreaterThan(10);
        assertThat(counts.get("links broken")).isGreaterThan(3);
    }

    /** A message comes directly when its second way, round by the former home, is forgotten. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {8, 13, 20, 22, 28, 38, 45, 53, 59})
    void messages_that_are_slower_than_what_nodes_tell_each_other_come_once(long seed) {
        Map<String, Integer> counts =
                MovingSessions.run(seed, true, true, false, false, false, true, Rules.ALL);
        assertThat(counts.get("crashes")).isGreaterThan(2);
        assertThat(counts.get("drains")).isGreaterThan(1);
    }

    /** Who was to have the session has died before it was there. */
    @Test
    void what_was_given_and_is_taken_back_loses_nothing() {
        MovingSessions.run(3138, true, true, false, true, Rules.ALL);
    }

    /** A former home passes on what was published before the client has subscribed again. */
    @Test
    void a_start_knows_which_filters_were_subscribed_since_a_session_came() {
        MovingSessions.run(3257, true, true, false, true, Rules.ALL);
        MovingSessions.run(3011, true, true, true, true, true, true, Rules.ALL);
    }

    /** What has come to the node alone is not to come round. */
    @Test
    void a_start_knows_that_a_session_is_back_where_it_was() {
        MovingSessions.run(255, true, true, false, true, true, true, Rules.ALL);
    }

    /** While a node is slow to hear of a message, a session comes back to it. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {105, 2002, 2032, 2053})
    void a_session_that_comes_back_has_the_order_of_the_node(long seed) {
        MovingSessions.run(seed, true, false);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {2017, 2032})
    void the_same_while_messages_are_slower_than_what_nodes_tell_each_other(long seed) {
        MovingSessions.run(seed, true, true, false, false, false, true, Rules.ALL);
    }

    /** It leaves a node before what is older has come round, for one that has not got that. */
    @Test
    void a_session_that_goes_to_and_fro_has_the_order_of_the_way_round() {
        MovingSessions.run(4062, true, false, false, true, false, true, Rules.ALL);
        MovingSessions.run(4062, true, false, false, true, true, true, Rules.ALL);
        MovingSessions.run(4006, true, false, false, true, true, true, Rules.ALL);
    }

    /**
     * Each holds what the former home of the other one is to have before it lets go. It tells
     * another story now.
     */
    @Test
    void two_sessions_that_have_gone_crosswise_do_not_wait_for_each_other() {
        MovingSessions.run(533, true, true, false, true, true, true, Rules.ALL);
    }

    /** It is back where what came directly had waited for what is older. */
    @Test
    void what_waited_where_a_session_was_goes_on_waiting_when_it_is_back() {
        MovingSessions.run(142, true, false, false, true, false, true, Rules.ALL); // Both ways.
        MovingSessions.run(432, true, true, false, true, true, true, Rules.ALL);
        // The copy there has left the routes, and what it has passed on is lost with a home.
        MovingSessions.run(452, true, false, false, true, false, true, Rules.ALL);
    }

    /** The session has gone on from a home that had asked for the same. */
    @Test
    void a_former_home_tells_each_that_asks_that_it_keeps_nothing() {
        MovingSessions.run(4180, true, false, false, true, false, true, Rules.ALL);
    }

    /**
     * A session moves just after it has subscribed, to a node that hears late of what was before:
     * it comes behind what has come round, what was taken before, or what another one passes on.
     */
    @Test
    void what_was_published_before_a_session_subscribed_does_not_come_behind_newer_messages() {
        MovingSessions.run(90, false, false, false, true, Rules.ALL);
        MovingSessions.run(4159, true, false, false, true, false, true, Rules.ALL);
        MovingSessions.run(92, true, false, false, true, false, true, Rules.ALL); // It goes back.
        MovingSessions.run(19, true, true, false, true, Rules.ALL);
    }

    /** A node starts anew, and is sent again what had come to it before a session subscribed. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {19, 54, 203, 4085, 4315})
    void what_comes_again_after_a_start_does_not_come_for_younger_subscriptions(long seed) {
        MovingSessions.run(seed, true, false, false, true, false, true, Rules.ALL);
        Rules without = Rules.without(Rule.CAME_BEFORE);
        assertThatThrownBy(() ->
                        MovingSessions.run(seed, true, false, false, true, false, true, without))
                .hasMessageContaining("came behind");
    }

    /** What another publisher has sent later says nothing: it may have come by other nodes. */
    @Test
    void a_later_message_of_a_publisher_that_moves_does_not_stand_for_those_of_others() {
        MovingSessions.run(16, true, true, false, true, true, true, Rules.ALL);
    }

    /** Of two messages one alone has come to where the session goes. */
    @Test
    void what_a_dead_node_has_told_by_half_comes_as_its_client_sends_it_again() {
        MovingSessions.run(4029, true, true, true, true, true, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nodes_leave_and_come_back_and_nothing_is_lost(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, true);
        assertThat(counts.get("drains")).isGreaterThan(1);
        assertThat(counts.get("drained")).isGreaterThan(0);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void subscribers_of_one_topic_get_everything_in_order_and_nothing_after_unsuback(long seed) {
        MovingSessions.run(seed, false, false, false, true, Rules.ALL);
        Map<String, Integer> counts = MovingSessions.run(seed, false, true, false, true, Rules.ALL);
        assertThat(counts.get("churned")).isGreaterThan(10);
        MovingSessions.run(seed, true, true, false, true, Rules.ALL);
    }

    @Test
    void a_client_that_goes_elsewhere_gets_messages_in_order() {
        MovingSessions.run(21, false, false, false, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {25, 26, 28})
    void a_client_that_goes_elsewhere_gets_nothing_after_unsuback(long seed) {
        MovingSessions.run(seed, false, false, false, true, Rules.ALL);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {8, 63, 85})
    void what_was_taken_at_one_node_comes_to_another_one_later(long seed) {
        MovingSessions.run(seed, false, false);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void the_same_of_members_of_a_shared_group(long seed) {
        Map<String, Integer> counts = MovingSessions.run(seed, false, true, true, false, Rules.ALL);
        assertThat(counts.get("acknowledged")).isGreaterThan(30);
        MovingSessions.run(seed, true, true, true, false, Rules.ALL);
    }
}
