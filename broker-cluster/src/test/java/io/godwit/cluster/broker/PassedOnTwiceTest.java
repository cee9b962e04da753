package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.PacketType;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What waits in a shared group goes to another node, and one of the two starts anew before the
 * first has heard that it is there: nobody gets it twice at QoS 2.
 */
class PassedOnTwiceTest extends GroupsFixture {
    private static final int COUNT = 10;

    private List<String> said;

    /** At node 1 the only member is offline. */
    @BeforeEach
    void messagesWait() {
        TestClient here = member(1, "here", 2, 1_000);
        here.cut();
        nodes.settle();
        TestClient publisher = publisher(1);
        said = publish(publisher, 2, COUNT);
        publisher.cut();
        nodes.settle();
    }

    /** A member at node 2 gets them; node 1 does not hear of it. */
    private TestClient passedOn(long expirySeconds) {
        TestClient there = member(2, "there", 2, expirySeconds);
        nodes.node(1).slowFrom = 2;
        nodes.pass(1_000);
        assertThat(take(there)).isNotEmpty();
        return there;
    }

    private void restart(int node) {
        nodes.node(node).crash();
        nodes.node(node).restart();
    }

    /** Time for everything that is under way, and for the rest of what waits. */
    private void end() {
        nodes.node(1).slowFrom = 0;
        nodes.pass(5_000);
    }

    /** The member completes what it has; then nothing is left of it, and nobody remembers it. */
    private void nothingIsLeft(TestClient member) {
        take(member);
        acks(member, PacketType.PUBREL).forEach(id -> member.ack(PacketType.PUBCOMP, id));
        nodes.pass(20_000);
        for (LoopNodes.One each : nodes.nodes) {
            assertThat(each.store.state().rows()).isZero();
            if (each.isUp) {
                assertThat(
                                each.node()
                                        .broker()
                                        .context()
                                        .load()
                                        .memory()
                                        .account(MemoryClass.INGRESS))
                        .isZero();
            }
        }
    }

    @Test
    void the_node_that_gives_them_starts_anew() {
        TestClient there = passedOn(0);
        restart(1);
        end();
        assertThat(take(there)).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(there);
    }

    @Test
    void the_node_that_gives_them_starts_anew_while_the_other_keeps_them() {
        TestClient there = passedOn(1_000);
        restart(1);
        end();
        assertThat(take(there)).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(there);
    }

    /** Node 2 must not hear that they are over while a start of node 1 would send them again. */
    @Test
    void the_node_that_gives_them_starts_anew_before_it_is_kept_that_they_are_gone() {
        TestClient there = passedOn(0);
        nodes.node(1).store.hold();
        nodes.node(1).slowFrom = 0;
        nodes.settle();
        restart(1);
        end();
        assertThat(take(there)).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(there);
    }

    @Test
    void the_node_that_gets_them_starts_anew() {
        TestClient there = passedOn(1_000);
        restart(2);
        end();
        TestClient back = nodes.node(2).connect("there", false, 1_000);
        end();
        take(back);
        end();
        assertThat(all(there.payloads(), take(back))).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(back);
    }

    /** The second copy comes when the first is gone from the group that it came to. */
    @Test
    void both_start_anew_one_after_the_other() {
        TestClient there = passedOn(1_000);
        acks(there, PacketType.PUBREL).forEach(id -> there.ack(PacketType.PUBCOMP, id));
        nodes.settle();
        nodes.node(1).crash();
        restart(2);
        nodes.settle();
        nodes.node(1).restart();
        end();
        TestClient back = nodes.node(2).connect("there", false, 1_000);
        end();
        take(back);
        end();
        assertThat(all(there.payloads(), take(back))).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(back);
    }

    @Test
    void another_node_could_take_them_and_the_first_is_away() {
        TestClient there = passedOn(0);
        nodes.node(1).crash();
        TestClient other = member(3, "other", 2, 0);
        nodes.node(1).begin();
        nodes.link(nodes.node(1), nodes.node(3));
        end();
        assertThat(take(other)).doesNotContainAnyElementsOf(there.payloads());
        nodes.link(nodes.node(1), nodes.node(2));
        end();
        assertThat(all(take(there), take(other))).containsExactlyInAnyOrderElementsOf(said);
    }

    @Test
    void they_go_elsewhere_when_that_node_is_forgotten() {
        passedOn(0);
        nodes.node(2).crash();
        restart(1);
        TestClient other = member(3, "other", 2, 0);
        nodes.pass(1_000);
        nodes.forget(2);
        end();
        assertThat(take(other)).containsExactlyInAnyOrderElementsOf(said);
        nothingIsLeft(other);
    }
}
