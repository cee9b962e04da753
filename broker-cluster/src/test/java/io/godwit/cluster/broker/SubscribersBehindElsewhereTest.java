package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribers of another node that are behind while there is memory enough. */
class SubscribersBehindElsewhereTest extends FloodFixture {
    /** Bytes that may wait for one subscriber: some 30 messages. */
    private static final long QUEUE_BYTES = 128 << 10;

    SubscribersBehindElsewhereTest() {
        super(512L << 20, QUEUE_BYTES);
    }

    private void round(Client publisher, int most, Client subscriber, int takes) {
        publisher.publish(most);
        nodes.settle();
        publisher.read(0);
        subscriber.read(takes);
        nodes.settle();
        nodes.pass(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_publisher_waits_for_one_that_takes_enough_and_nothing_is_discarded(int qos) {
        Client slow = new Client(leader(), "slow", "", qos).subscribes("t");
        Client publisher = new Client(ingress(), "publisher", "t", qos);
        for (int i = 0; i < 1_000 && slow.seen.size() < 400; i++) {
            round(publisher, 400, slow, 1);
        }
        assertThat(slow.seen).isEqualTo(all("t", 400));
        assertThat(publisher.acknowledged).isEqualTo(400);
        assertThat(dropped()).isZero();
    }

    @Test
    void nobody_waits_who_publishes_to_others_there() {
        Client slow = new Client(leader(), "slow", "", 1).subscribes("t");
        Client patient = new Client(leader(), "patient", "", 1).subscribes("u");
        Client publisher = new Client(ingress(), "publisher", "t", 1);
        Client other = new Client(ingress(), "other", "u", 1);
        for (int i = 0; i < 10; i++) {
            round(publisher, 400, slow, 0);
        }
        assertThat(publisher.connection.isRead()).isFalse();
        for (int i = 0; i < 10; i++) {
            round(other, 20, patient, 4);
        }
        assertThat(patient.seen).isEqualTo(all("u", 20));
        assertThat(other.connection.isRead()).isTrue();
    }

    /**
     * It loses what is too much for it, since the other one, at any node, is not to wait for it.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nobody_waits_if_another_gets_the_same_who_is_not_behind(int node) {
        Client slow = new Client(leader(), "slow", "", 1).subscribes("t");
        Client quick = new Client(nodes.node(node), "quick", "", 1).subscribes("t");
        Client publisher = new Client(ingress(), "publisher", "t", 1);
        for (int i = 0; i < 100; i++) {
            publisher.publish(100);
            nodes.settle();
            publisher.read(0);
            for (int read = 0; read < 4; read++) {
                quick.read(2);
                nodes.settle();
            }
            assertThat(publisher.connection.isRead()).isTrue();
        }
        assertThat(quick.seen).isEqualTo(all("t", 100));
        assertThat(dropped()).isPositive();
        assertThat(slow.connection.isClosed()).isFalse();
    }

    @Test
    void who_takes_nothing_is_waited_for_stuck_time() {
        Client stuck = new Client(leader(), "stuck", "", 1).subscribes("t");
        Client publisher = new Client(ingress(), "publisher", "t", 1);
        int waited = 0;
        for (int i = 0; i < 300; i++) {
            round(publisher, 400, stuck, 0);
            waited += publisher.connection.isRead() ? 0 : 1;
        }
        assertThat(publisher.acknowledged).isEqualTo(400);
        assertThat(waited).as("tenths of a second").isBetween(90, 105);
        assertThat(stuck.connection.isClosed()).isFalse();
        assertThat(dropped()).isPositive();
    }

    /** What it publishes is parked for a while, and never refused. */
    @Test
    void who_also_receives_goes_on_when_no_more_can_be_parked() {
        Client stuck = new Client(leader(), "stuck", "", 1).subscribes("t");
        Client both = new Client(ingress(), "both", "t", 1).subscribes("to/both");
        Client sender = new Client(leader(), "sender", "to/both", 1);
        sender.publish(1);
        nodes.settle();
        for (int sent = 0; sent < 100; sent++) { // it does not wait for acknowledgements
            both.connection.publish("t", 1, 1 + sent, " ".repeat(PAYLOAD));
            nodes.settle();
        }
        assertThat(both.connection.isRead()).isTrue();
        nodes.pass(100);
        nodes.pass(11_000);
        assertThat(both.connection.packets().stream().filter(Packet.Ack.class::isInstance))
                .hasSize(100)
                .noneMatch(ack -> ((Packet.Ack) ack).reason().isError());
        assertThat(stuck.connection.isClosed()).isFalse();
    }
}
