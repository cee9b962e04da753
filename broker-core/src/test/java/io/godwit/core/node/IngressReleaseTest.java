package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A publisher may end with tens of thousands of QoS 2 messages that queues remember for it. */
class IngressReleaseTest {
    private static final int UNRELEASED = 500;
    private static final int SLICE = 20; // as InboundQos2 has it

    private final RestartFixture f = new RestartFixture();

    private int remembered() {
        return f.node.session("s").queue().remembered().size();
    }

    @Test
    void a_publisher_that_ends_is_forgotten_slice_by_slice() {
        TestClient subscriber = f.durable(0, "s");
        subscribe(subscriber, 2, "a");
        f.node.settle();
        subscriber.cut();
        f.node.settle();
        TestClient publisher = f.node.client(0, "p");
        for (int packetId = 1; packetId <= UNRELEASED; packetId++) {
            publisher.publish("a", 2, packetId, "x");
        }
        f.node.settle();
        assertThat(remembered()).isEqualTo(UNRELEASED);

        publisher.cut();
        int most = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (StepLoop loop : f.node.loops) {
                int before = remembered();
                busy |= loop.step();
                most = Math.max(most, before - remembered());
            }
        }
        assertThat(remembered()).isZero();
        assertThat(most).isBetween(1, 2 * SLICE);
    }
}
