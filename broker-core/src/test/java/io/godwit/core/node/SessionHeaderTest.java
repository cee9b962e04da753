package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.session.SessionHeader.Received;
import io.godwit.core.session.SessionHeader.Sent;
import org.junit.jupiter.api.Test;

/** What a session's next home is told of it. */
class SessionHeaderTest {
    private final RestartFixture f = new RestartFixture();

    private SessionHeader header() {
        return SessionHeader.of(f.node.session("d"));
    }

    /** A session with something of everything: its client is connected to shard 0. */
    private TestClient client() {
        TestClient client = f.connect(0, "d", false, 3600, RestartFixture.will(1, false, 60));
        subscribe(client, 2, "in/+", "also");
        TestClient other = f.durable(1, "p");
        f.node.settle();
        other.publish("in/1", 1, 1, "one");
        other.publish("in/2", 2, 2, "two");
        other.publish("in/3", 2, 3, "three");
        f.node.settle();
        client.ack(PacketType.PUBREC, 2);
        client.publish("elsewhere", 2, 9, "taken");
        f.node.settle();
        assertThat(client.payloads()).containsExactly("one", "two", "three");
        return client;
    }

    @Test
    void has_the_record_the_subscriptions_and_what_is_under_way_in_both_directions() {
        client();
        SessionHeader header = header();
        assertThat(header.clientId()).isEqualTo(ClientId.of("d"));
        assertThat(header.record().queueId()).isEqualTo(f.queueId("d"));
        assertThat(header.record().expirySeconds()).isEqualTo(3600);
        assertThat(header.record().disconnectedAtMs()).isZero();
        assertThat(header.record().will()).isNotNull();
        assertThat(header.subscriptions())
                .extracting(s -> s.filter().toString(), s -> s.qos())
                .containsExactly(tuple("also", 2), tuple("in/+", 2));
        assertThat(header.inFlight())
                .extracting(Sent::packetId, Sent::qos, Sent::isReleased)
                .containsExactly(tuple(1, 1, false), tuple(2, 2, true), tuple(3, 2, false));
        assertThat(header.received())
                .extracting(Received::packetId, Received::isTaken)
                .containsExactly(tuple(9, true));
        assertThat(header.lastId()).isEqualTo(header.inFlight().getLast().messageId());
    }

    @Test
    void is_the_same_where_the_session_comes_to() {
        TestClient old = client();
        old.cut();
        f.node.settle();
        SessionHeader before = header();
        assertThat(f.node.session("d").owner()).isZero();

        // A connection that is gone when it is granted its client id: nothing but the place and the
        // stamp, which names the last CONNECT, changes.
        TestClient newer = f.node.open(1, ProtocolVersion.MQTT_5);
        newer.connect("d", false, 3600, 0);
        newer.cut();
        f.node.settle();
        assertThat(newer.packets()).isEmpty();
        assertThat(f.node.session("d").owner()).isEqualTo(1);
        SessionHeader after = header();
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("record.stamp")
                .isEqualTo(before);
        assertThat(after.record().stamp()).isGreaterThan(before.record().stamp());

        assertThat(connAck(f.durable(0, "d")).sessionPresent()).isTrue();
    }

    @Test
    void says_which_wills_are_owed() {
        f.connect(0, "d", false, 3600, RestartFixture.will(2, false, 0));
        subscribe(f.durable(1, "w"), 2, "will");
        f.node.settle();
        f.store.hold();
        f.connect(0, "d", false, 3600, null);
        assertThat(header().record().owedWills()).hasSize(1);
        f.store.release();
        f.node.settle();
        assertThat(header().record().owedWills()).isEmpty();
    }
}
