package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.settings.Rules;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/**
 * A session that is back at a node where it was for a moment, and where what came directly waited
 * to come round: what is older, and had passed that node before, is still on its way round.
 */
@Disabled("needs remote connections")
class ToAndFroTest extends MovingFixture {
    /** Its client subscribes at a node, and others at all nodes. */
    private void begin(int node, Rules rules) {
        nodes = new LoopNodes(3, new SplittableRandom(1), rules);
        publisher = nodes.node(3).connect("p", true, 0);
        published = 0;
        for (int each = 1; each <= 3; each++) {
            nodes.node(each).connect("other" + each, false, 3600).subscribe(1, 1, "t");
        }
        connect(node, 3600).subscribe(1, 1, "t");
        nodes.settle();
    }

    /** Publishes of node 3 are much slower to the others than all else. */
    private void slow(boolean isSlow) {
        nodes.node(3).linkTo(1).isSlow = isSlow;
        nodes.node(3).linkTo(2).isSlow = isSlow;
    }

    /** What comes to a session that goes from node to node while three messages are published. */
    private List<String> goes(Rules rules, int first, int second, int... more) {
        begin(first, rules);
        slow(true);
        publish(1);
        connect(second, 3600);
        for (int i = 0; i < more.length - 2; i++) {
            connect(more[i], 3600);
        }
        publish(1);
        connect(more[more.length - 2], 3600);
        TestClient back = connect(more[more.length - 1], 3600);
        publish(1);
        assertThat(connAck(back).sessionPresent()).isTrue();
        slow(false);
        nodes.pass(10_000);
        assertThat(acknowledged()).isEqualTo(3);
        acknowledgeAll(back);
        nodes.pass(20_000);
        assertThat(queuedBytes()).isZero();
        return back.payloads();
    }

    private void inOrder(int first, int second, int... more) {
        assertThat(goes(Rules.ALL, first, second, more)).containsExactly("m1", "m2", "m3");
    }

    @Test
    void what_waited_where_it_was_for_a_moment_goes_on_waiting_when_it_is_back_there() {
        inOrder(2, 1, 3, 2, 3);
    }

    @Test
    void the_same_of_one_that_goes_to_and_fro_between_two() {
        inOrder(1, 3, 1, 3);
    }

    /** What is oldest comes by a home that it was at before that one. */
    @Test
    void the_same_of_one_that_was_somewhere_else_first() {
        inOrder(2, 3, 1, 3);
    }

    /** What came round waits there to come directly. */
    private List<String> goesBackTwice(Rules rules) {
        begin(1, rules);
        slow(true);
        publish(1);
        connect(3, 3600);
        publish(1);
        connect(1, 3600);
        connect(2, 3600);
        TestClient back = connect(1, 3600);
        slow(false);
        nodes.pass(10_000);
        assertThat(acknowledged()).isEqualTo(2);
        return back.payloads();
    }

    @Test
    void the_same_where_what_is_oldest_comes_directly() {
        assertThat(goesBackTwice(Rules.ALL)).containsExactly("m1", "m2");
    }

    /**
     * Its copy, which has passed on to a home that the session was back at, leaves the routes, and
     * then the session is back. What it has passed on goes to the session here.
     */
    private List<String> isBackWhereAHomeLetsGo(Rules rules) {
        begin(2, rules);
        nodes.node(3).linkTo(2).isSlow = true;
        publish(1);
        connect(1, 3600);
        publish(1);
        connect(2, 3600);
        connect(3, 3600);
        nodes.pass(2_000);
        TestClient back = connect(1, 3600);
        nodes.settle();
        assertThat(connAck(back).sessionPresent()).isTrue();
        nodes.node(3).linkTo(2).isSlow = false;
        nodes.pass(10_000);
        assertThat(acknowledged()).isEqualTo(2);
        acknowledgeAll(back);
        nodes.pass(20_000);
        assertThat(queuedBytes()).isZero();
        return back.payloads();
    }

    @Test
    void the_same_where_its_copy_has_left_the_routes() {
        assertThat(isBackWhereAHomeLetsGo(Rules.ALL)).containsExactly("m1", "m2");
    }

    /** A former home, or its own node, starts anew, and hears again of what is not answered. */
    private void startsAnew(int node) {
        begin(1, Rules.ALL);
        nodes.node(3).linkTo(1).isSlow = true;
        publish(1);
        connect(2, 3600);
        publish(1);
        connect(1, 3600);
        connect(2, 3600);
        nodes.node(node).crash();
        nodes.node(node).restart();
        nodes.node(3).linkTo(1).isSlow = true;
        nodes.settle();
        TestClient back = connect(2, 3600);
        publish(1);
        assertThat(connAck(back).sessionPresent()).isTrue();
        nodes.node(3).linkTo(1).isSlow = false;
        nodes.pass(10_000);
        assertThat(back.payloads()).containsExactly("m1", "m2", "m3");
        assertThat(acknowledged()).isEqualTo(3);
    }

    @Test
    void the_same_when_its_node_has_started_anew() {
        startsAnew(2);
    }

    @Test
    void the_same_when_a_former_home_has_started_anew() {
        startsAnew(1);
    }

    /** Nobody waits for ever for what does not come by a home that is gone. */
    @Test
    void what_waited_is_delivered_when_nothing_older_comes_any_more() {
        begin(1, Rules.ALL);
        nodes.node(3).linkTo(1).isSlow = true;
        publish(1);
        connect(2, 3600);
        publish(1);
        connect(1, 3600);
        TestClient back = connect(2, 3600);
        nodes.node(3).crash();
        nodes.pass(1_000);
        assertThat(back.payloads()).isEmpty();
        nodes.pass(10_000);
        assertThat(back.payloads()).containsExactly("m2");
    }
}
