package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** QoS 2 messages of a group on their way to the own queues of its durable members. */
class HandingOverTest extends GroupOfThree {
    @BeforeEach
    void twoMembers() {
        keeps = true;
        join(a, 2, 2);
        join(b, 2, 2);
        group.work(NOW);
    }

    private HandedOver handOver(String payload) {
        publish(payload, 2);
        return handedOver(entryOf(payload));
    }

    @Test
    void entry_is_marked_in_the_commit_that_appends_it_and_removed_when_the_member_has_it() {
        HandedOver one = handOver("1");
        long id = one.entry().messageId;
        assertThat(operations).containsSequence("append " + id, "in flight " + id + " as 1");
        assertThat(group.inFlight()).isEqualTo(1);

        group.appended(one, NOW);
        assertThat(operations).endsWith("remove " + id, "over " + id);
        assertThat(group.inFlight()).isZero();
        group.appended(one, NOW);
        assertThat(operations).filteredOn(each -> each.startsWith("remove")).hasSize(1);
    }

    @Test
    void entry_stays_marked_while_its_member_is_offline_until_its_session_says_more() {
        HandedOver one = handOver("1");
        sent();
        group.offline(a, NOW);
        assertThat(sent()).isEmpty();
        group.notAppended(one, NOW);
        assertThat(operations).contains("idle again " + one.entry().messageId);
        assertThat(sent()).containsExactly("c2=1");

        group.appended(one, NOW);
        assertThat(group.inFlight()).as("it is the other one's").isEqualTo(1);
    }

    @Test
    void member_has_credit_again_when_its_client_is_done_with_the_message() {
        group.gone(b, NOW);
        HandedOver one = handOver("1");
        handOver("2");
        publish("3", 2);
        group.appended(one, NOW);
        assertThat(sent()).containsExactly("c1=1", "c1=2");
        group.handedOverLeft(one, NOW);
        group.handedOverLeft(one, NOW);
        publish("4", 2);
        assertThat(sent()).containsExactly("c1=3");
    }

    @Test
    void credit_of_an_earlier_connection_does_not_count() {
        group.gone(b, NOW);
        HandedOver one = handOver("1");
        group.appended(one, NOW);
        sent();
        group.offline(a, NOW);
        group.online(a, 1, 2, Integer.MAX_VALUE, NOW);
        group.handedOverLeft(one, NOW);
        publish("2", 2);
        publish("3", 2);
        assertThat(sent()).containsExactly("c1=2");
    }

    @Test
    void message_that_a_session_never_sent_before_it_ended_goes_to_another_member() {
        HandedOver one = handOver("1");
        group.appended(one, NOW);
        sent();
        group.gone(a, NOW);
        assertThat(sent()).isEmpty();
        group.givenBack(one, TestMessage.of("t/1", "1", 2, Long.MAX_VALUE, null), NOW);
        assertThat(sent()).containsExactly("c2=1");
    }

    @Test
    void session_that_another_node_leads_now_is_asked() {
        HandedOver one = handOver("1");
        long id = one.entry().messageId;
        sent();
        elsewhere.add(a);
        group.offline(a, NOW);
        group.gone(a, NOW);
        assertThat(operations).endsWith("ask for " + id);

        group.answered(one, HandOverAnswer.UNKNOWN, null, NOW);
        assertThat(operations).endsWith("ask later for " + id);
        assertThat(sent()).isEmpty();
        group.answered(one, HandOverAnswer.NO, null, NOW);
        assertThat(sent()).containsExactly("c2=1");
        group.answered(one, HandOverAnswer.YES, null, NOW);
        assertThat(group.inFlight()).isEqualTo(1);
    }

    @Test
    void entry_that_the_asked_session_has_is_removed_and_over() {
        HandedOver one = handOver("1");
        group.isElsewhere(one);
        group.answered(one, HandOverAnswer.YES, null, NOW);
        assertThat(operations).endsWith("over " + one.entry().messageId);
        assertThat(group.inFlight()).isZero();
    }

    @Test
    void entry_of_a_session_that_has_ended_elsewhere_is_counted_as_lost() {
        HandedOver one = handOver("1");
        sent();
        group.isElsewhere(one);
        group.answered(one, HandOverAnswer.GONE, null, NOW);
        assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("1")));
        assertThat(sent()).isEmpty();
    }

    @Test
    void message_at_qos_2_to_a_transient_member_stays_in_the_group() {
        TestSession passing = new TestSession("t", 9, false);
        group.gone(a, NOW);
        group.offline(b, NOW);
        join(passing, 2, 1);
        publish("1", 2);
        PartEntry one = entry(entryOf("1"));
        mark(group, passing, one, 7);
        assertThat(operations).endsWith("in flight " + one.messageId + " as 7");
        group.got(passing, one, NOW);
        assertThat(operations).endsWith("remove " + one.messageId);
    }
}
