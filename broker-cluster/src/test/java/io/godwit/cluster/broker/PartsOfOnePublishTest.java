package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A QoS 2 message goes to a node in two records, one for sessions and one for shared groups: it is
 * retained, and the node, which is away, has not answered for what went before as a publish.
 */
class PartsOfOnePublishTest extends GroupsFixture {
    private TestClient session;
    private TestClient member;
    private TestClient publisher;

    @BeforeEach
    void bothWait() {
        session = nodes.node(2).connect("session", false, 1_000);
        nodes.settle();
        session.subscribe(1, 2, "jobs/+");
        nodes.settle();
        member = member(2, "member", 2, 1_000); // Transient ones are not waited for.
        publisher = nodes.node(1).connect("publisher", false, 1_000);
        nodes.settle();
        slow(true);
        publisher.publish("jobs/1", 2, 1, "first");
        nodes.node(1).silent(nodes.node(2));
        retained();
    }

    private void slow(boolean is) {
        Objects.requireNonNull(nodes.node(1).links.get(2)).isSlow = is;
    }

    private void retained() {
        byte[] payload = {'s', 'e', 'c', 'o', 'n', 'd'};
        publisher.send(
                new Packet.Publish(
                        Topic.of("jobs/1"), 2, false, true, 2, Properties.NONE, payload));
        nodes.settle();
    }

    private void bothCome() {
        slow(false);
        nodes.node(1).heard(nodes.node(2));
        nodes.pass(2_000);
        assertThat(take(session)).containsExactly("first", "second");
        assertThat(take(member)).containsExactly("first", "second");
    }

    @Test
    void everyone_gets_it() {
        bothCome();
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(1, 2);
    }

    /** Its publisher sends it again, and it goes in one record now. */
    @Test
    void nobody_gets_it_twice() {
        nodes.node(1).heard(nodes.node(2));
        nodes.settle();
        nodes.node(1).slowFrom = 2; // Both leave, and no answer comes.
        bothCome();
        nodes.node(1).slowFrom = 0;
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.pass(1_000);
        publisher = nodes.node(1).connect("publisher", false, 1_000);
        nodes.settle();
        publisher.publish("jobs/1", 2, 1, "first");
        retained();
        nodes.pass(1_000);
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(1, 2);
        assertThat(take(session)).containsExactly("first", "second");
        assertThat(take(member)).containsExactly("first", "second");
    }
}
