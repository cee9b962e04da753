package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishes to a node that nothing was heard of for a while, on a link that goes on. */
class HeardAgainTest {
    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));
    private final LoopNodes.One here = nodes.node(1);
    private final LoopNodes.One there = nodes.node(2);
    private final TestClient subscriber = there.client("subscriber", 1_000);
    private final TestClient publisher = here.client("publisher", 0);

    @BeforeEach
    void begin() {
        subscriber.subscribe(1, 1, "t");
        nodes.settle();
        there.isPaused = true;
        here.silent(there);
        nodes.settle();
    }

    private void publish(int packetId, boolean isRetained, String payload) {
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        1,
                        false,
                        isRetained,
                        packetId,
                        Properties.NONE,
                        payload.getBytes(UTF_8)));
        nodes.settle();
    }

    private long acknowledged() {
        return publisher.packets().stream()
                .filter(each -> each.type() == PacketType.PUBACK)
                .count();
    }

    private void goOn() {
        there.isPaused = false;
        here.heard(there);
        nodes.settle();
    }

    @Test
    void publish_behind_a_retained_one_does_not_overtake_it() {
        publish(1, true, "first");
        publish(2, false, "second");
        goOn();
        assertThat(subscriber.payloads()).containsExactly("first", "second");
        assertThat(acknowledged()).isEqualTo(2);
    }

    @Test
    void retained_publish_behind_another_one_does_not_overtake_it() {
        publish(1, false, "first");
        publish(2, true, "second");
        goOn();
        assertThat(subscriber.payloads()).containsExactly("first", "second");
        assertThat(acknowledged()).isEqualTo(2);
    }

    @Test
    void publishes_go_on_when_it_is_silent_again_meanwhile() {
        publish(1, false, "first");
        there.isPaused = false;
        here.heard(there);
        here.silent(there);
        nodes.settle();
        here.heard(there);
        nodes.settle();
        assertThat(subscriber.payloads()).containsExactly("first");
    }
}
