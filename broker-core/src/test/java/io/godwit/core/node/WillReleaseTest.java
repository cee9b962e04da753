package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import org.junit.jupiter.api.Test;

/**
 * A subscriber has a Will of QoS 2, and it is not kept yet that the Will is over: whoever goes on
 * with its session publishes it again.
 */
class WillReleaseTest {
    private final HeldStore store = new HeldStore();
    private final TestNode node = new TestNode(2, store);

    private int remembered() {
        return node.session("s").queue().remembered().size();
    }

    @Test
    void subscriber_remembers_it_until_that_is_kept() {
        TestClient subscriber = node.open(0, ProtocolVersion.MQTT_5);
        subscriber.connect("s", false, 3600, 0);
        node.settle();
        subscriber.subscribe(1, 2, "w");
        node.settle();
        TestClient publisher = node.open(1, ProtocolVersion.MQTT_5);
        byte[] payload = "will".getBytes(UTF_8);
        Will will = new Will(Topic.of("w"), 2, false, payload, 0, Properties.NONE);
        publisher.connect("p", false, 3600, 0, will);
        node.settle();
        store.hold();
        publisher.cut();
        node.settle();
        for (int i = 0; i < 10 && node.session("p").life().owedWills() > 0; i++) {
            store.releaseOf(0);
            node.settle();
        }
        assertThat(node.session("p").life().owedWills()).isZero();
        assertThat(remembered()).isOne();

        store.release();
        node.settle();
        assertThat(remembered()).isZero();
    }
}
