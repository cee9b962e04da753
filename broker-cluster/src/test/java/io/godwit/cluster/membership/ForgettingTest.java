package io.godwit.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.Admission.Verdict;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestLink;
import io.godwit.core.node.SettableTime;
import io.godwit.core.operation.ByteReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Nodes whose memberships say to each other what they have to say, over links that tests make. */
class ForgettingTest {
    private static final int PEER_TIMEOUT_MS = 1_000;
    private static final Endpoint ANYWHERE = new Endpoint() {};

    private final SettableTime time = new SettableTime();
    private final ArrayDeque<Runnable> messages = new ArrayDeque<>();
    private final List<ForgetAnswer> answers = new ArrayList<>();
    private final Node one = new Node(1);
    private final Node two = new Node(2);
    private final Node three = new Node(3);

    ForgettingTest() {
        link(one, two);
        link(one, three);
        link(two, three);
    }

    private final class Node implements NodesListener, MembersFile {
        final int server;
        final Map<Integer, Link> links = new HashMap<>();
        final List<String> intrusions = new ArrayList<>();
        byte[] file = new byte[0];
        long starts;
        Membership membership;

        Node(int server) {
            this.server = server;
            start();
        }

        void start() {
            starts++;
            Self self = new Self(node(), 100L * server + starts, "n" + server, "", "test");
            membership =
                    new Membership(
                            self,
                            new MembershipSettings("test", 5_000, PEER_TIMEOUT_MS, 0, 1, 1),
                            ClusterRules.ALL,
                            time,
                            this,
                            Runnable::run,
                            this);
        }

        NodeStart node() {
            return new NodeStart(server, starts);
        }

        void end() {
            for (Node other : List.of(one, two, three)) {
                cut(this, other);
            }
        }

        List<Integer> members() {
            return membership.nodes().members().stream().map(Member::server).toList();
        }

        Verdict hello(Node from) {
            ByteReader card = new ByteReader(from.membership.card());
            return membership.onCard(ANYWHERE, from.node(), card, time.monotonicMs());
        }

        @Override
        public void onNodes(Nodes nodes) {
            // Asked for when needed.
        }

        @Override
        public void onIntruder(String line) {
            intrusions.add(line);
        }

        @Override
        public byte[] load() {
            return file;
        }

        @Override
        public void save(byte[] members) {
            file = members;
        }
    }

    private final class Link extends TestLink {
        final Node from;
        final Node to;
        boolean isMute;

        Link(Node from, Node to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public boolean offer(Outgoing message) {
            byte[] bytes = bytes(message);
            messages.add(() -> {
                Link back = to.links.get(from.server);
                if (back != null && !isMute) {
                    to.membership.onMessage(
                            back, message.type(), new ByteReader(bytes), bytes.length);
                }
            });
            return true;
        }

        @Override
        public NodeStart peer() {
            return to.node();
        }
    }

    /** Each lets the other one in. */
    private void link(Node a, Node b) {
        assertThat(a.hello(b)).isInstanceOf(Verdict.Accepted.class);
        assertThat(b.hello(a)).isInstanceOf(Verdict.Accepted.class);
        Link there = new Link(a, b);
        Link back = new Link(b, a);
        a.links.put(b.server, there);
        b.links.put(a.server, back);
        a.membership.onUp(there, Resumed.NOTHING);
        b.membership.onUp(back, Resumed.NOTHING);
        settle();
    }

    private void cut(Node a, Node b) {
        Link there = a.links.remove(b.server);
        Link back = b.links.remove(a.server);
        if (there != null && back != null) {
            a.membership.onDown(there, List.of());
            b.membership.onDown(back, List.of());
        }
    }

    private void settle() {
        while (!messages.isEmpty()) {
            messages.remove().run();
        }
    }

    private ForgetAnswer forget(Node at, String node, boolean isEarnest) {
        answers.clear();
        at.membership.forget(node, isEarnest, answers::add);
        settle();
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    @Test
    void every_node_forgets_it() {
        three.end();
        assertThat(forget(one, "n3", false)).isEqualTo(new ForgetAnswer(3, "n3", null));
        assertThat(one.members()).containsExactly(1, 2, 3);
        assertThat(forget(one, "n3", true).refusal()).isNull();
        assertThat(one.members()).containsExactly(1, 2);
        assertThat(two.members()).containsExactly(1, 2);
        assertThat(forget(two, "n3", true).server()).isZero();
    }

    @Test
    void a_node_that_was_away_meanwhile_hears_of_it_and_keeps_it_over_a_start() {
        three.end();
        two.end();
        assertThat(forget(one, "3", true).refusal()).isNull();
        two.start();
        assertThat(two.members()).contains(3);
        link(one, two);
        assertThat(two.members()).containsExactly(1, 2);
        two.end();
        two.start();
        assertThat(two.members()).containsExactly(1, 2);
    }

    @Test
    void what_another_node_has_a_link_with_is_not_forgotten() {
        cut(one, three);
        assertThat(forget(one, "n3", true).refusal()).startsWith("node n2 has a link with node n3");
        assertThat(forget(one, "n2", true).refusal()).startsWith("node n2 is there");
        assertThat(forget(one, "n1", true).refusal()).startsWith("node n1 is the one that was");
        assertThat(forget(one, "n4", true).refusal()).startsWith("there is no member n4");
        assertThat(one.members()).containsExactly(1, 2, 3);
    }

    @Test
    void who_does_not_answer_prevents_it() {
        three.end();
        one.links.get(2).isMute = true;
        one.membership.forget("n3", true, answers::add);
        settle();
        assertThat(answers).isEmpty();
        time.advance(PEER_TIMEOUT_MS);
        one.membership.tick(time.monotonicMs());
        assertThat(answers.getFirst().refusal()).startsWith("node n2 has not said");
        assertThat(one.members()).containsExactly(1, 2, 3);
    }

    @Test
    void a_later_start_of_it_is_a_member_again() {
        three.end();
        forget(one, "n3", true);
        three.start();
        link(two, three);
        assertThat(one.members()).containsExactly(1, 2, 3);
        assertThat(three.members()).containsExactly(1, 2, 3);
        assertThat(three.membership.nodes().forgotten())
                .isEqualTo(one.membership.nodes().forgotten());
    }

    /** Nobody heard it, and it ran all the time. */
    @Test
    void the_same_start_is_refused_and_ends_when_it_is_alone() {
        three.end();
        forget(one, "n3", true);
        Verdict verdict = one.hello(three);
        assertThat(verdict).isInstanceOf(Verdict.Refused.class);
        ByteReader why = new ByteReader(((Verdict.Refused) verdict).why());
        three.membership.onRefused(ANYWHERE, why, time.monotonicMs());
        assertThat(three.intrusions).hasSize(1).first().asString().contains("forgotten");
        three.start();
        link(one, three);
        link(two, three);
        assertThat(two.members()).containsExactly(1, 2, 3);
    }

    /**
     * Both sides of a long partition: the smaller one starts anew, and takes the others as they
     * are.
     */
    @Test
    void two_that_have_forgotten_each_other_come_together() {
        three.end();
        forget(one, "n3", true);
        forget(three, "n1", true);
        forget(three, "n2", true);
        assertThat(three.members()).containsExactly(3);
        three.start();
        link(one, three);
        link(two, three);
        for (Node each : List.of(one, two, three)) {
            assertThat(each.members()).containsExactly(1, 2, 3);
        }
    }
}
