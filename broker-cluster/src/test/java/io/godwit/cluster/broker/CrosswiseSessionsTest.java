package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions that wait for what their former homes say, and keep other nodes waiting meanwhile. */
class CrosswiseSessionsTest {
    private LoopNodes nodes;
    private TestClient publisher;
    private int published;

    @BeforeEach
    final void threeNodes() {
        begin(3, Rules.ALL);
    }

    /** So many nodes, the last of which has the publisher. */
    private void begin(int count, Rules rules) {
        nodes = new LoopNodes(count, new SplittableRandom(1), rules);
        publisher = nodes.node(count).connect("p", true, 0);
        published = 0;
        nodes.settle();
    }

    /** Publishes from the last node to this one are on their way. */
    private void slow(int to, boolean isSlow) {
        nodes.nodes.getLast().linkTo(to).isSlow = isSlow;
    }

    private void publish(String topic) {
        published++;
        publisher.publish(topic, 1, published, "m" + published);
        nodes.settle();
    }

    private TestClient connect(int node, String clientId) {
        return nodes.node(node).client(clientId, 3600);
    }

    private TestClient retained(int node, String topic, String payload) {
        TestClient client = nodes.node(node).connect("of " + payload, true, 0);
        nodes.settle();
        client.send(
                new Packet.Publish(
                        Topic.of(topic),
                        1,
                        false,
                        true,
                        1,
                        Properties.NONE,
                        payload.getBytes(StandardCharsets.UTF_8)));
        nodes.settle();
        return client;
    }

    /** A session that wants no retained message which was there before. */
    private void subscriber(int node, String clientId, String filter) {
        Packet.Subscription one =
                new Packet.Subscription(TopicFilter.of(filter), 1, false, false, 2);
        connect(node, clientId).send(new Packet.Subscribe(1, List.of(one), Properties.NONE));
        nodes.settle();
    }

    private long acknowledged() {
        return publisher.packets().stream().filter(Packet.Ack.class::isInstance).count();
    }

    /**
     * Each session gets a message directly that was published before it subscribed, and waits for
     * it to come round, too; or, when both are back where they were, gets it round, and waits for
     * it to come directly.
     *
     * @return what they get
     */
    private List<String> circle(int count, Rules rules, boolean areBack) {
        begin(count + 1, rules);
        for (int i = 0; i < count; i++) {
            int next = (i + 1) % count + 1;
            nodes.node(next).subscriber("at " + next, "t" + i);
            slow(next, true);
        }
        for (int i = 0; i < count; i++) {
            publish("t" + i);
            nodes.node(i + 1).subscriber("s" + i, "t" + i);
        }
        List<TestClient> sessions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sessions.add(connect((i + 1) % count + 1, "s" + i));
        }
        for (int i = 0; i < count && areBack; i++) {
            sessions.set(i, connect(i + 1, "s" + i));
        }
        for (int i = 0; i < count; i++) {
            slow(i + 1, false);
        }
        nodes.pass(10_000);
        return sessions.stream().flatMap(each -> each.payloads().stream()).toList();
    }

    private void noneWaits(int count, boolean areBack) {
        assertThat(circle(count, Rules.ALL, areBack)).hasSize(count).startsWith("m1", "m2");
        assertThat(acknowledged()).isEqualTo(count);
        assertThat(circle(count, Rules.without(Rule.LAST_WORD_WHEN_HANDLED), areBack)).isEmpty();
        assertThat(acknowledged()).isZero();
    }

    @Test
    void two_sessions_that_have_gone_crosswise_do_not_wait_for_each_other() {
        noneWaits(2, false);
    }

    @Test
    void nor_do_three_in_a_circle() {
        noneWaits(3, false);
    }

    @Test
    void nor_do_those_that_are_back_where_they_were() {
        noneWaits(2, true);
        noneWaits(3, true);
    }

    /**
     * Each is back where it was for a moment, which is the first home of the other one, and holds a
     * message there that came to that node alone, and one that came alone to a node where both were
     * in between.
     *
     * @return the sessions
     */
    private List<TestClient> backCrosswise() {
        begin(4, Rules.ALL);
        nodes.node(1).subscriber("at 1", "+/1");
        nodes.node(2).subscriber("at 2", "b/2");
        nodes.node(3).subscriber("at 3", "a/3");
        slowToAll(true);
        for (String topic : List.of("a/1", "a/3", "b/1", "b/2")) {
            publish(topic);
        }
        nodes.node(2).subscriber("a", "a/+");
        nodes.node(3).subscriber("b", "b/+");
        TestClient first = null;
        TestClient second = null;
        for (int each : List.of(1, 3, 2, 3)) {
            first = connect(each, "a");
        }
        for (int each : List.of(1, 2, 3, 2)) {
            second = connect(each, "b");
        }
        slowToAll(false);
        return List.of(Objects.requireNonNull(first), Objects.requireNonNull(second));
    }

    private void slowToAll(boolean isSlow) {
        for (int each = 1; each < nodes.nodes.size(); each++) {
            slow(each, isSlow);
        }
    }

    private long ordersGivenUp() {
        return nodes.nodes.stream()
                .mapToLong(each -> each.node().count(Metric.ORDER_GIVEN_UP))
                .sum();
    }

    /** Nobody says that what is older has come: others wait for whoever holds the rest. */
    @Test
    void nor_do_two_that_are_back_at_the_first_home_of_each_other_for_ever() {
        List<TestClient> sessions = backCrosswise();
        nodes.pass(9_000);
        assertThat(sessions).allMatch(each -> each.payloads().isEmpty());
        assertThat(ordersGivenUp()).isZero();
        nodes.pass(10_000);
        assertThat(sessions.get(0).payloads()).containsExactly("m2", "m1");
        assertThat(sessions.get(1).payloads()).containsExactly("m4", "m3");
        assertThat(acknowledged()).isEqualTo(4);
        assertThat(ordersGivenUp()).isBetween(1L, 2L);
    }

    /** What is retained, and waits, keeps nothing back that is published, when links are new. */
    @Test
    void nor_do_those_that_wait_for_retained_messages_when_links_are_broken() {
        nodes.node(1).subscriber("at 1", "u");
        nodes.node(2).subscriber("at 2", "u");
        nodes.node(3).linkTo(2).isSharedSlow = true;
        nodes.node(2).linkTo(1).isSharedSlow = true;
        retained(3, "x", "r1");
        retained(2, "y", "r2");
        subscriber(1, "a", "x");
        subscriber(2, "b", "y");
        slow(2, true);
        nodes.node(2).linkTo(1).isSlow = true;
        publish("u");
        nodes.node(2).connect("q", true, 0).publish("u", 1, 1, "q1");
        nodes.settle();
        TestClient first = connect(2, "a");
        TestClient second = connect(1, "b");
        nodes.node(3).linkTo(2).isSharedSlow = false;
        nodes.node(2).linkTo(1).isSharedSlow = false;
        nodes.settle();
        nodes.cut(nodes.node(2), nodes.node(3));
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.link(nodes.node(2), nodes.node(3));
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.pass(10_000);
        assertThat(first.payloads()).containsExactly("r1");
        assertThat(second.payloads()).containsExactly("r2");
        assertThat(acknowledged()).isEqualTo(1);
    }

    /** Each comes to a node that has told the other one's of something retained before. */
    @Test
    void sessions_come_though_others_wait_for_retained_messages() {
        nodes.node(1).linkTo(2).isSharedSlow = true;
        nodes.node(2).linkTo(1).isSharedSlow = true;
        retained(1, "x", "r1");
        retained(2, "y", "r2");
        subscriber(3, "a", "x");
        subscriber(3, "b", "y");
        TestClient first = connect(2, "a");
        TestClient second = connect(1, "b");
        nodes.node(1).linkTo(2).isSharedSlow = false;
        nodes.node(2).linkTo(1).isSharedSlow = false;
        nodes.pass(10_000);
        assertThat(first.payloads()).containsExactly("r1");
        assertThat(second.payloads()).containsExactly("r2");
    }

    /**
     * A former home has handled a message, and dies before it has passed it on.
     *
     * @return what the session gets
     */
    private List<String> diesBeforeItHasPassedOn(Rules rules) {
        begin(3, rules);
        nodes.node(1).subscriber("a", "x");
        slow(1, true);
        publish("x");
        TestClient second = connect(2, "a");
        nodes.node(2).slowFrom = 1;
        slow(1, false);
        nodes.settle();
        nodes.node(1).crash();
        nodes.node(2).slowFrom = 0;
        nodes.node(1).restart();
        slow(1, true);
        nodes.pass(5_000);
        slow(1, false);
        nodes.pass(5_000);
        assertThat(acknowledged()).isEqualTo(1);
        return second.payloads();
    }

    @Test
    void what_a_former_home_has_handled_and_not_passed_on_comes_again_to_its_next_start() {
        assertThat(diesBeforeItHasPassedOn(Rules.ALL)).containsExactly("m1");
        assertThat(diesBeforeItHasPassedOn(Rules.without(Rule.LAST_WORD_TO_THIS_START))).isEmpty();
    }
}
