package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** While the disk does not answer: what was promised waits, everything else goes on. */
class WaitsForTheDiskIT {
    @TempDir Path folder;

    private StoreOnDisk store;
    private BrokerFixture broker;
    private Clients clients;
    private WireClient publisher;

    @BeforeEach
    void start() throws Exception {
        store = new StoreOnDisk(folder, StoreSettings.DEFAULTS);
        broker = store.broker();
        clients = new Clients(broker::port);
        publisher = clients.publisher("publisher");
    }

    @AfterEach
    void stop() {
        store.close();
        clients.close();
        broker.close();
    }

    /** The disk is asked for what was just sent, and the client has got nothing for it. */
    private void waits(WireClient client) {
        await().until(store::isWaiting);
        client.quiet();
    }

    @Test
    void puback_and_pubrec_for_a_durable_queue() {
        clients.away("subscriber", "t", 2);
        store.hold();
        publisher.send(PublishBytes.v5("t").qos(1, 1));
        publisher.send(PublishBytes.v5("t").qos(2, 2));
        waits(publisher);
        store.release();
        publisher.pubAck(1, 0);
        publisher.pubRec(2, 0);
    }

    @Test
    void puback_and_pubrec_for_a_retained_message_that_nobody_asked_for() {
        store.hold();
        publisher.send(PublishBytes.v5("r").retain().qos(1, 1).payload("kept"));
        publisher.send(PublishBytes.v5("r").retain().qos(2, 2).payload("kept, too"));
        waits(publisher);
        store.release();
        publisher.pubAck(1);
        publisher.pubRec(2);
    }

    @Test
    void the_deletion_of_a_retained_message() {
        publish(publisher, PublishBytes.v5("r").retain().payload("there"), 1);
        store.hold();
        publisher.send(PublishBytes.v5("r").retain().qos(1, 1));
        waits(publisher);
        store.release();
        publisher.pubAck(1);
    }

    @Test
    void suback_and_unsuback_of_a_durable_session() {
        WireClient client = clients.connect(durable("client")).subscribe("old", 1);
        store.hold();
        client.send(Bytes.packet(0x82, Bytes.hex("00 01 00"), Bytes.utf8("new"), Bytes.u8(1)));
        waits(client);
        store.release();
        assertThat(client.next().subAck().codes()).containsExactly(1);
        store.hold();
        client.send(Bytes.packet(0xA2, Bytes.hex("00 02 00"), Bytes.utf8("old")));
        waits(client);
        store.release();
        assertThat(client.next().unsubAck().codes()).containsExactly(0);
    }

    @Test
    void connack_of_a_durable_session_and_of_a_client_with_a_will() {
        store.hold();
        WireClient session = clients.send(durable("session"));
        WireClient will = clients.send(ConnectBytes.v5("will").will("w", "gone"));
        await().until(store::isWaiting);
        clients.publisher("somebody else").quiet(); // and of nobody else
        for (WireClient each : new WireClient[] {session, will}) {
            assertThatThrownBy(() -> each.next(Duration.ofMillis(100)))
                    .hasMessageContaining("nothing came");
        }
        store.release();
        session.accepted();
        will.accepted();
    }

    @Test
    void publish_of_qos_2_until_its_packet_id_is_kept_and_pubrel_until_pubrec_is() {
        WireClient subscriber = clients.connect(durable("subscriber")).subscribe("t", 2);
        store.hold();
        publisher.send(PublishBytes.v5("t").qos(2, 1).payload("exactly once"));
        waits(subscriber);
        store.release();
        publisher.pubRec(1);
        int packetId = subscriber.publish("exactly once").packetId();
        store.hold();
        subscriber.sendAck(5, packetId);
        waits(subscriber);
        store.release();
        subscriber.pubRel(packetId);
    }

    @Test
    void nothing_waits_that_is_not_kept() {
        WireClient durable = clients.connect(durable("durable")).subscribe("t", 1);
        store.hold();
        publisher.send(PublishBytes.v5("nobody/durable").retain().payload("retained, QoS 0"));
        WireClient late = clients.publisher("late").subscribe("t", 2);
        // QoS 1 goes to who is online at once, and its PUBACK stands for the disk.
        publisher.send(PublishBytes.v5("t").qos(1, 1).payload("both"));
        late.sendAck(4, late.publish("both").packetId());
        publisher.quiet();
        durable.sendAck(4, durable.publish("both").packetId());
        publisher.pubAck(1);
        publish(publisher, "t", 0, "at most once");
        durable.publish("at most once");
        late.publish("at most once");
        publish(publisher, "transient", 2, "nobody");
        WireClient transient2 = clients.publisher("transient").subscribe("transient", 2);
        publish(publisher, "transient", 2, "somebody");
        int packetId = transient2.publish("somebody").packetId();
        transient2.sendAck(5, packetId);
        transient2.pubRel(packetId);
        transient2.unsubscribe("transient");
        assertThat(store.isWaiting()).isTrue();
    }
}
