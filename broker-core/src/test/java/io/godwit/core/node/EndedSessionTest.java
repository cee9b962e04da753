package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionRoomProbe;
import org.junit.jupiter.api.Test;

/** Whoever still names a session that has ended (the store's window does) keeps little with it. */
class EndedSessionTest extends QueueFixture {
    private static final int IN_FLIGHT = 20;

    private static void end(TestClient client) {
        client.send(
                new Packet.Disconnect(
                        ReasonCode.SUCCESS,
                        Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, 0).build()));
    }

    @Test
    void what_was_in_flight_and_what_has_waited_goes() {
        TestClient subscriber = connect(1, IN_FLIGHT);
        subscriber.subscribe(1, 2, "t");
        node.settle();
        publish(2 * IN_FLIGHT);
        ClientQueue queue = node.session("s").queue();
        assertThat(queue.inFlightEntries()).hasSize(IN_FLIGHT);
        assertThat(queue.inMemory()).isPositive();

        end(subscriber);
        node.settle();
        assertThat(queue.inFlightEntries()).isEmpty();
        assertThat(queue.inFlight()).isZero();
        assertThat(queue.inMemory()).isZero();
        assertThat(node.inFlightBytes()).isZero();
        assertThat(node.queuedBytes()).isZero();
    }

    @Test
    void what_its_client_has_published_goes() {
        TestClient client = node.client(1, "d", 3600, 0);
        for (int i = 1; i <= IN_FLIGHT; i++) {
            client.publish("t", 2, i, "x");
        }
        node.settle();
        Session session = node.session("d");
        assertThat(SessionRoomProbe.remembersPublishes(session)).isTrue();
        end(client);
        node.settle();
        assertThat(session.isEnded()).isTrue();
        assertThat(SessionRoomProbe.remembersPublishes(session)).isFalse();
    }
}
