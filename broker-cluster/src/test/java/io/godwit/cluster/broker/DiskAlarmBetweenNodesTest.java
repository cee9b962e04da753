package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A node whose disk is nearly full stores nothing that is published at other nodes either. */
class DiskAlarmBetweenNodesTest extends FloodFixture {
    private static final long MEMORY = 64 << 20;

    DiskAlarmBetweenNodesTest() {
        super(MEMORY, MEMORY / 4);
    }

    private void diskAlarm(boolean full) {
        leader().node().broker().context().load().diskAlarm(full);
        nodes.settle();
        nodes.pass(1_000);
    }

    @Test
    void messages_for_a_node_with_a_full_disk_wait_at_the_node_of_their_publisher() {
        Client subscriber = new Client(leader(), "s", "", 1).subscribes("t");
        Client publisher = new Client(ingress(), "p", "t", 1);
        publisher.publish(1);
        nodes.settle();
        publisher.read(0);
        subscriber.read(1);
        assertThat(publisher.acknowledged).isEqualTo(1);

        diskAlarm(true);
        publisher.publish(5);
        nodes.settle();
        nodes.pass(1_000);
        publisher.read(0);
        subscriber.read(10);
        assertThat(publisher.acknowledged).as("nothing during the alarm").isEqualTo(1);
        assertThat(subscriber.seen).isEqualTo(all("t", 1));

        diskAlarm(false);
        for (int i = 0; i < 5; i++) {
            nodes.settle();
            nodes.pass(100);
            subscriber.read(10);
            publisher.read(0);
        }
        assertThat(publisher.acknowledged).isEqualTo(5);
        assertThat(subscriber.seen).isEqualTo(all("t", 5));
        assertThat(dropped()).isZero();
    }
}
