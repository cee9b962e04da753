package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** What comes to a session by two ways after it has moved comes once, and in order. */
@Disabled("needs remote connections")
class ArrivalOrderTest extends MovingFixture {
    /** Its client is at node 1, and another one at node 2 has the same subscription. */
    private void twoSubscribers() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        TestClient other = nodes.node(2).connect("other", false, 3600);
        other.subscribe(1, 1, "t");
        nodes.settle();
    }

    @Test
    void what_comes_directly_waits_for_what_is_still_on_its_way_round() {
        twoSubscribers();
        nodes.node(1).slowFrom = 3;
        publish(1);
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        publish(2);
        assertThat(second.payloads()).isEmpty();
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
    }

    /** What comes to a session that has got and acknowledged m1 where it was for long. */
    private List<String> takenBeforeItCameHere(Rules rules) {
        nodes = new LoopNodes(3, new SplittableRandom(1), rules);
        publisher = nodes.node(1).connect("p", true, 0);
        published = 0;
        TestClient first = connect(3, 3600);
        first.subscribe(1, 1, "t");
        nodes.node(2).connect("other", false, 3600).subscribe(1, 1, "t");
        nodes.pass(5_000);
        nodes.node(2).slowFrom = 1;
        publish(1);
        acknowledgeAll(first);
        assertThat(first.payloads()).containsExactly("m1");
        TestClient second = connect(2, 3600);
        assertThat(connAck(second).sessionPresent()).isTrue();
        nodes.node(2).slowFrom = 0;
        nodes.pass(1_500);
        assertThat(acknowledged()).isEqualTo(1);
        publish(1);
        nodes.pass(3_000);
        return second.payloads();
    }

    @Test
    void what_was_taken_where_the_session_was_is_not_taken_again_when_it_comes_directly() {
        assertThat(takenBeforeItCameHere(Rules.ALL)).containsExactly("m2");
    }

    /** Publishes of node 3 are much slower to a node than all else. */
    private void slow(int to, boolean isSlow) {
        nodes.node(3).linkTo(to).isSlow = isSlow;
    }

    /** Where it was meanwhile another message was there sooner, and is passed on. */
    @Test
    void what_the_last_home_passes_on_waits_for_what_comes_directly_to_a_session_that_is_back() {
        twoSubscribers();
        slow(1, true);
        publish(1);
        connect(2, 3600);
        publish(1);
        TestClient back = connect(1, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).isEmpty();
        slow(1, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** It has come to the node all the time, and not by the last home alone. */
    @Test
    void the_same_when_the_node_has_started_anew_since_the_session_is_back() {
        twoSubscribers();
        slow(1, true);
        publish(1);
        connect(2, 3600);
        publish(1);
        connect(1, 3600);
        nodes.node(1).crash();
        nodes.node(1).restart();
        slow(1, true);
        nodes.settle();
        TestClient back = connect(1, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        slow(1, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** Nobody waits for ever for what does not come directly any more. */
    @Test
    void what_the_last_home_passes_on_is_delivered_when_nothing_older_comes_directly() {
        twoSubscribers();
        slow(1, true);
        connect(2, 3600);
        publish(1);
        TestClient back = connect(1, 3600);
        nodes.node(3).crash();
        nodes.pass(1_000);
        assertThat(back.payloads()).isEmpty();
        nodes.pass(6_000);
        assertThat(back.payloads()).containsExactly("m1");
    }

    /** A start asks anew whether something older comes directly. */
    @Test
    void the_same_when_the_node_has_started_anew() {
        twoSubscribers();
        slow(1, true);
        connect(2, 3600);
        publish(1);
        connect(1, 3600);
        nodes.node(1).crash();
        nodes.node(3).crash();
        nodes.node(1).restart();
        nodes.settle();
        TestClient back = connect(1, 3600);
        nodes.pass(1_000);
        assertThat(back.payloads()).isEmpty();
        nodes.pass(6_000);
        assertThat(back.payloads()).containsExactly("m1");
    }

    /** What the copy has passed on came to where nobody wanted it: there it comes directly. */
    @Test
    void of_a_filter_that_was_subscribed_elsewhere_what_comes_directly_waits_for_that_home() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        second.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        second.subscribe(3, 1, "t");
        nodes.settle();
        slow(2, true);
        publish(1);
        assertThat(second.payloads()).isEmpty();
        TestClient back = connect(1, 3600);
        publish(1);
        assertThat(back.payloads()).isEmpty();
        slow(2, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** What has come directly where it was for a moment goes on behind what comes round there. */
    @Test
    void what_comes_round_goes_first_though_the_session_has_gone_back_to_an_earlier_home() {
        connect(2, 3600).subscribe(1, 1, "t");
        nodes.settle();
        connect(1, 3600);
        slow(2, true);
        publish(1);
        connect(3, 3600);
        publish(1);
        connect(2, 3600);
        TestClient back = connect(3, 3600);
        slow(2, false);
        nodes.settle();
        assertThat(back.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    /** What comes to a session that has moved just after it subscribed. */
    private List<String> publishedBefore(Rules rules) {
        nodes = new LoopNodes(3, new SplittableRandom(1), rules);
        publisher = nodes.node(3).connect("p", true, 0);
        published = 0;
        nodes.node(1).connect("here", false, 3600).subscribe(1, 1, "t");
        nodes.node(2).connect("there", false, 3600).subscribe(1, 1, "t");
        TestClient first = connect(1, 3600);
        slow(2, true);
        publish(1);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publish(1);
        assertThat(first.payloads()).containsExactly("m2");
        TestClient second = connect(2, 3600);
        publish(1);
        slow(2, false);
        nodes.pass(5_000);
        assertThat(acknowledged()).isEqualTo(3);
        return second.payloads();
    }

    /** The other one at node 2 has subscribed before. */
    @Test
    void what_was_published_before_the_session_subscribed_does_not_come_late() {
        assertThat(publishedBefore(Rules.ALL)).containsExactly("m2", "m3");
    }

    /** Nobody has acknowledged it, so its client publishes it once more, behind what was older. */
    @Test
    void what_only_came_directly_from_a_node_that_has_died_comes_as_its_client_sends_it_again() {
        twoSubscribers();
        slow(1, true);
        publish(1);
        TestClient second = connect(2, 3600);
        publish(1);
        assertThat(acknowledged()).isZero();
        nodes.node(3).crash();
        nodes.node(3).restart();
        nodes.pass(5_000);
        publisher = nodes.node(3).connect("p", true, 0);
        published = 0;
        publish(2);
        assertThat(second.payloads()).containsExactly("m1", "m2");
        assertThat(acknowledged()).isEqualTo(2);
        acknowledgeAll(second);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
    }

    /** It was subscribed where the session was taken back, and was not there when it came. */
    @Test
    void what_came_while_a_session_was_given_is_its_own_when_it_is_taken_back() {
        connect(1, 3600);
        TestClient second = connect(2, 3600);
        second.subscribe(1, 1, "t");
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        nodes.node(3).store.hold();
        connect(3, 3600);
        publish(1);
        assertThat(acknowledged()).isZero();
        nodes.node(3).crash();
        nodes.node(3).restart();
        nodes.pass(500);
        TestClient back = connect(2, 3600);
        assertThat(connAck(back).sessionPresent()).isTrue();
        assertThat(back.payloads()).containsExactly("m1");
        assertThat(acknowledged()).isEqualTo(1);
    }

    @Test
    void what_has_come_directly_alone_is_delivered_when_the_former_home_has_let_go() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        nodes.node(1).slowFrom = 3;
        publish(3);
        assertThat(second.payloads()).isEmpty();
        nodes.pass(1_500);
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3");
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        publish(1);
        assertThat(second.payloads()).containsExactly("m1", "m2", "m3", "m4");
    }

    @Test
    void nothing_comes_twice_while_a_former_home_lets_go() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        for (int i = 1; i <= 40; i++) {
            publisher.publish("t", 1, i, "m" + i);
            nodes.pass(100);
        }
        assertThat(second.payloads()).hasSize(40).doesNotHaveDuplicates();
        assertThat(nodes.node(1).store.state().sessions()).isZero();
    }

    /** A node that is heard again is sent again what it has not answered, on the same link. */
    @Test
    void what_a_former_home_sends_again_comes_once_however_late() {
        TestClient first = connect(1, 3600);
        first.subscribe(1, 1, "t");
        nodes.settle();
        publisher = nodes.node(1).connect("q", true, 0);
        nodes.settle();
        TestClient second = connect(2, 3600);
        nodes.node(2).slowFrom = 1;
        publish(1);
        nodes.pass(1_500);
        nodes.node(1).silent(nodes.node(2));
        nodes.node(1).heard(nodes.node(2));
        nodes.settle();
        Deque<LoopLink.Sent> appends = nodes.node(1).linkTo(2).sent(TrafficClass.APPENDS);
        assertThat(appends).filteredOn(each -> each.type().name().equals("forward")).hasSize(2);
        List<LoopLink.Sent> late = new ArrayList<>();
        while (late.isEmpty() || !late.getFirst().type().name().equals("forward")) {
            late.addFirst(appends.removeLast());
        }
        nodes.node(2).slowFrom = 0;
        nodes.pass(1_000);
        assertThat(acknowledged()).isEqualTo(1);
        assertThat(nodes.node(1).store.state().sessions()).isZero();
        appends.addAll(late);
        nodes.pass(10_000);
        assertThat(second.payloads()).containsExactly("m1");
        acknowledgeAll(second);
        assertThat(queuedBytes()).isZero();
    }

    @Test
    void what_a_former_home_passes_on_after_unsubscribe_is_not_taken() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        second.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        nodes.settle();
        publish(2);
        assertThat(second.payloads()).isEmpty();
        second.subscribe(3, 1, "t");
        nodes.settle();
        publish(2);
        assertThat(second.payloads()).containsExactly("m3", "m4");
        nodes.pass(1_500);
        publish(1);
        assertThat(second.payloads()).containsExactly("m3", "m4", "m5");
    }

    /** What is on its way round was published before the client has subscribed again. */
    @Test
    void a_start_knows_which_filters_were_subscribed_since_the_session_came() {
        twoSubscribers();
        TestClient second = connect(2, 3600);
        second.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("t")), Properties.NONE));
        nodes.settle();
        slow(1, true);
        publish(1);
        second.subscribe(3, 1, "t");
        nodes.settle();
        nodes.node(2).crash();
        nodes.node(2).restart();
        nodes.settle();
        TestClient again = connect(2, 3600);
        publish(1);
        assertThat(again.payloads()).containsExactly("m2");
        slow(1, false);
        nodes.pass(1_500);
        assertThat(again.payloads()).containsExactly("m2");
        assertThat(acknowledged()).isEqualTo(2);
    }

    @Test
    void a_live_message_that_keeps_its_retain_flag_comes_once() {
        TestClient first = connect(1, 3600);
        first.send(
                new Packet.Subscribe(
                        1,
                        List.of(new Packet.Subscription(TopicFilter.of("t"), 1, false, true, 0)),
                        Properties.NONE));
        nodes.settle();
        TestClient second = connect(2, 3600);
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"), 1, false, true, 1, Properties.NONE, new byte[] {'r'}));
        nodes.settle();
        nodes.pass(1_500);
        assertThat(second.payloads()).containsExactly("r");
    }
}
