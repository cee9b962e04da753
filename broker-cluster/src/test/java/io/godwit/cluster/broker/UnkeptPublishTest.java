package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * No other node may have a publish of QoS 2 before its ingress id is kept under the publisher's
 * packet id: after a crash it would come under another one.
 */
class UnkeptPublishTest {
    private final LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));

    private void publish(TestClient publisher, boolean again) {
        publisher.send(
                new Packet.Publish(
                        Topic.of("t"),
                        2,
                        again,
                        false,
                        7,
                        Properties.NONE,
                        "m".getBytes(StandardCharsets.UTF_8)));
        nodes.settle();
    }

    /** Its former home is the node that the message came in at, and passes it on. */
    @Test
    void nor_does_a_session_that_has_just_moved_there() {
        nodes.node(1).client("s", 1_000).subscribe(1, 2, "t");
        nodes.settle();
        TestClient publisher = nodes.node(1).client("p", 1_000);
        TestClient subscriber = nodes.node(2).client("s", 1_000);

        nodes.node(1).store.hold();
        publish(publisher, false);
        assertThat(subscriber.payloads()).isEmpty();
        nodes.node(1).crash();
        nodes.node(1).restart();
        nodes.settle();

        publisher = nodes.node(1).client("p", 1_000);
        publish(publisher, true);
        assertThat(publisher.packets()).anyMatch(each -> each.type() == PacketType.PUBREC);
        assertThat(subscriber.payloads()).containsExactly("m");
    }
}
