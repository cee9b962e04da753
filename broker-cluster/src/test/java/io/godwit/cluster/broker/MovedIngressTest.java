package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.TopicFilter;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** What a session remembers of QoS 2 messages does not become more and more while it moves. */
@Disabled("needs remote connections")
class MovedIngressTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));
    private TestClient publisher;
    private TestClient client;
    private int published;

    @BeforeEach
    void atNodeOne() {
        publisher = nodes.node(3).connect("p", true, 0);
        client = nodes.node(1).client("s", 3600);
        Packet.Subscription one = new Packet.Subscription(TopicFilter.of("t"), 2, false, false, 0);
        client.send(new Packet.Subscribe(1, List.of(one), Properties.NONE));
        nodes.settle();
    }

    /** QoS 2, up to its PUBREC. */
    private void publish() {
        publisher.publish("t", 2, ++published, "m" + published);
        nodes.settle();
    }

    private void release() {
        publisher.ack(PacketType.PUBREL, published);
        nodes.settle();
    }

    private void move(int to) {
        client = nodes.node(to).client("s", 3600);
        nodes.settle();
    }

    private int rememberedAt(int node) {
        return nodes.node(node).node().session("s").queue().remembered().size();
    }

    /** So long that no former home keeps anything. */
    private void rest() {
        nodes.pass(40_000);
    }

    @Test
    void what_is_over_at_its_home_while_a_former_one_has_something_does_not_go_along() {
        move(2);
        publish();
        release();
        assertThat(rememberedAt(2)).as("it may come round once more").isEqualTo(1);
        move(1);
        assertThat(rememberedAt(1)).isZero();
        rest();
        assertThat(client.payloads()).containsExactly("m1");
    }

    @Test
    void what_is_not_over_goes_along_and_is_known_after_the_former_homes_have_gone() {
        move(2);
        publish();
        move(1);
        assertThat(rememberedAt(1)).isEqualTo(1);
        rest();
        assertThat(rememberedAt(1)).isEqualTo(1);
        assertThat(client.payloads()).containsExactly("m1");
    }

    @Test
    void what_is_over_where_the_session_was_is_forgotten_at_its_home_with_the_last_word() {
        publish();
        move(2);
        release();
        assertThat(rememberedAt(2)).isEqualTo(1);
        rest();
        assertThat(rememberedAt(2)).isZero();
        assertThat(client.payloads()).containsExactly("m1");
    }

    @Test
    void that_goes_to_the_next_home_when_it_has_gone_on() {
        publish();
        move(2);
        release();
        move(3);
        assertThat(rememberedAt(3)).isEqualTo(1);
        rest();
        assertThat(rememberedAt(3)).isZero();
        assertThat(client.payloads()).containsExactly("m1");
    }

    @Test
    void and_to_the_session_itself_when_it_is_back() {
        publish();
        move(2);
        release();
        move(1);
        rest();
        assertThat(rememberedAt(1)).isZero();
        assertThat(client.payloads()).containsExactly("m1");
    }
}
