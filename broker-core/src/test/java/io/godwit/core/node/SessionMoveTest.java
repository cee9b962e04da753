package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session moves between nodes with its client, and takes along what it has. */
class SessionMoveTest {
    private SomeNodes nodes;
    private SomeNodes.Side first;
    private SomeNodes.Side second;
    private TestClient publisher;
    private int published;

    @BeforeEach
    void twoNodes() {
        nodes = new SomeNodes(2);
        first = nodes.side(1);
        second = nodes.side(2);
        publisher = first.connect(0, "later", true, 0, null);
        first.store.pageMessages(3);
        second.store.pageMessages(3);
    }

    private void publish(int count, int qos) {
        for (int i = 0; i < count; i++) {
            published++;
            publisher.publish("t", qos, published, "m" + published);
            nodes.settle();
        }
    }

    private TestClient subscriber() {
        TestClient client = first.connect(1, "s", null);
        client.subscribe(1, 2, "t");
        nodes.settle();
        return client;
    }

    private void offlineWith(int messages, int qos) {
        subscriber().cut();
        nodes.settle();
        publish(messages, qos);
    }

    private static List<String> messages(int from, int to) {
        List<String> all = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            all.add("m" + i);
        }
        return all;
    }

    private void acknowledgeAll(TestClient client) {
        int done = 0;
        while (done < client.packets().size()) {
            Packet packet = client.packets().get(done++);
            if (packet instanceof Packet.Publish publish && publish.qos() > 0) {
                PacketType answer = publish.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC;
                client.ack(answer, publish.packetId());
            } else if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                client.ack(PacketType.PUBCOMP, ack.packetId());
            }
            nodes.settle();
        }
    }

    private int acknowledged() {
        return (int)
                publisher.packets().stream()
                        .filter(Packet.Ack.class::isInstance)
                        .map(Packet.Ack.class::cast)
                        .filter(ack -> ack.type() != PacketType.PUBCOMP)
                        .count();
    }

    /** Nothing of the session is left at its former home. */
    private void assertGoneFrom(SomeNodes.Side side) {
        assertThat(side.store.state().session(ClientId.of("s"))).isNull();
        assertThat(side.node.queuedMessages()).isZero();
        assertThat(side.node.keptMessages()).isZero();
    }

    private void assertDone(SomeNodes.Side at) {
        Session session = at.node.session("s");
        assertThat(session.life().moves().isNone()).isTrue();
        assertThat(session.queue().isEmpty()).isTrue();
        assertThat(session.inFlightCount()).isZero();
        assertThat(at.node.queuedMessages()).isZero();
        assertThat(at.node.keptMessages()).isZero();
        assertThat(at.store.state().rows(session.queueId())).isEmpty();
    }

    @Test
    void the_queue_follows_in_pages() {
        offlineWith(10, 1);
        TestClient client = second.connect(0, "s", null);
        assertThat(RestartFixture.isPresent(client)).isTrue();
        acknowledgeAll(client);
        assertThat(client.payloads()).isEqualTo(messages(1, 10));
        assertGoneFrom(first);
        assertDone(second);
        assertThat(second.node.session("s").subscriptionCount()).isEqualTo(1);
    }

    @Test
    void without_a_store_on_disk_the_queue_follows_from_memory() {
        nodes = new SomeNodes(2, false);
        first = nodes.side(1);
        second = nodes.side(2);
        publisher = first.connect(0, "p", true, 0, null);
        TestClient client = subscriber();
        publish(4, 2);
        client.ack(PacketType.PUBREC, 1);
        nodes.settle();
        client.cut();
        nodes.settle();
        publish(1_200, 1); // More than two pages.
        TestClient later = second.connect(0, "s", null);
        assertThat(RestartFixture.isPresent(later)).isTrue();
        acknowledgeAll(later);
        assertThat(later.payloads()).isEqualTo(messages(2, 1_204));
        assertThat(first.node.queuedMessages()).isZero();
        assertThat(second.node.queuedMessages()).isZero();
        client = first.connect(1, "s", null);
        publish(1, 1);
        assertThat(client.payloads()).containsExactly("m1205");
    }

    /** Its former home has started anew, and nobody has the rest of the queue. */
    @Test
    void without_a_store_on_disk_a_session_goes_on_with_what_has_come_of_its_queue() {
        nodes = new SomeNodes(2, false);
        first = nodes.side(1);
        second = nodes.side(2);
        publisher = first.connect(0, "p", true, 0, null);
        TestClient client = subscriber();
        client.cut();
        nodes.settle();
        publish(1_200, 1); // More than two pages.
        nodes.isHeld = true;
        client = second.node.open(0, ProtocolVersion.MQTT_5);
        client.connect("s", false, 3600, 0);
        nodes.step(5);
        assertThat(client.payloads()).isNotEmpty();
        first.crash();
        nodes.isHeld = false;
        nodes.settle();
        TestClient other = second.connect(1, "q", true, 0, null);
        other.publish("t", 1, 1, "live");
        nodes.settle();
        second.linked(1);
        nodes.settle();
        acknowledgeAll(client);
        assertThat(client.payloads()).hasSizeLessThan(1_200).endsWith("live");
        assertThat(second.node.queuedMessages()).isZero();
    }

    @Test
    void the_client_is_served_before_the_last_page_and_live_messages_come_behind_it() {
        offlineWith(8, 1);
        nodes.isHeld = true;
        TestClient client = second.node.open(0, ProtocolVersion.MQTT_5);
        client.connect("s", false, 3600, 0);
        nodes.step(2);
        assertThat(RestartFixture.isPresent(client)).isTrue();
        assertThat(client.payloads()).isEmpty();
        TestClient other = second.connect(1, "q", true, 0, null);
        nodes.step(3);
        assertThat(client.payloads()).isEqualTo(messages(1, 3));
        other.publish("t", 1, 1, "live");
        nodes.isHeld = false;
        nodes.settle();
        acknowledgeAll(client);
        List<String> expected = messages(1, 8);
        expected.add("live");
        assertThat(client.payloads()).isEqualTo(expected);
        assertGoneFrom(first);
        assertDone(second);
    }

    /** Its client waits for the commit, and not for the page after it. */
    @Test
    void the_first_page_comes_while_the_session_is_being_kept() {
        offlineWith(2, 1);
        second.store.hold();
        TestClient client = second.connect(0, "s", null);
        assertThat(second.node.queuedMessages()).isEqualTo(2);
        assertThat(client.packets()).isEmpty();
        assertThat(first.store.state().session(ClientId.of("s"))).isNotNull();
        second.store.release();
        nodes.settle();
        acknowledgeAll(client);
        assertThat(client.payloads()).isEqualTo(messages(1, 2));
        assertGoneFrom(first);
        assertDone(second);
    }

    @Test
    void what_was_in_flight_is_sent_again_under_its_packet_ids_and_qos_2_comes_once() {
        TestClient client = subscriber();
        publish(4, 2);
        client.ack(PacketType.PUBREC, 1);
        nodes.settle();
        client.ack(PacketType.PUBREC, 2);
        client.ack(PacketType.PUBCOMP, 1);
        nodes.settle();
        TestClient later = second.connect(0, "s", null);
        assertThat(reason(client)).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
        acknowledgeAll(later);
        assertThat(later.payloads()).containsExactly("m3", "m4");
        assertThat(later.packets())
                .filteredOn(Packet.Publish.class::isInstance)
                .allMatch(packet -> ((Packet.Publish) packet).dup());
        assertThat(later.packets())
                .filteredOn(Packet.Ack.class::isInstance)
                .extracting(packet -> ((Packet.Ack) packet).packetId())
                .contains(2);
        assertGoneFrom(first);
        assertDone(second);
    }

    private static ReasonCode reason(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Disconnect.class::isInstance)
                .map(packet -> ((Packet.Disconnect) packet).reason())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_message_that_comes_too_late_goes_after_it_and_is_acknowledged_when_it_is_there() {
        offlineWith(2, 1);
        int before = acknowledged();
        nodes.isHeld = true;
        TestClient client = second.node.open(0, ProtocolVersion.MQTT_5);
        client.connect("s", false, 3600, 0);
        nodes.step(1);
        publish(2, 1);
        assertThat(acknowledged()).isEqualTo(before);
        nodes.isHeld = false;
        nodes.settle();
        assertThat(acknowledged()).isEqualTo(before + 2);
        acknowledgeAll(client);
        assertThat(client.payloads()).isEqualTo(messages(1, 4));
        assertDone(second);
    }

    @Test
    void it_comes_back_with_all_that_it_has_got_meanwhile() {
        offlineWith(4, 1);
        second.connect(0, "s", null).cut();
        nodes.settle();
        TestClient other = second.connect(1, "q", true, 0, null);
        other.publish("t", 1, 1, "there");
        nodes.settle();
        TestClient client = first.connect(0, "s", null);
        acknowledgeAll(client);
        List<String> expected = messages(1, 4);
        expected.add("there");
        assertThat(client.payloads()).isEqualTo(expected);
        assertGoneFrom(second);
        assertDone(first);
    }

    @Test
    void it_goes_on_only_when_all_of_it_is_there() {
        offlineWith(7, 1);
        nodes.isHeld = true;
        TestClient client = second.node.open(0, ProtocolVersion.MQTT_5);
        client.connect("s", false, 3600, 0);
        nodes.step(3);
        TestClient back = first.node.open(1, ProtocolVersion.MQTT_5);
        back.connect("s", false, 3600, 0);
        nodes.isHeld = false;
        nodes.settle();
        assertThat(reason(client)).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(messages(1, 7));
        assertGoneFrom(second);
        assertDone(first);
    }

    @Test
    void a_new_home_that_crashes_goes_on_where_its_pages_stood() {
        for (int step = 2; step < 14; step++) {
            twoNodes();
            published = 0;
            offlineWith(8, 2);
            nodes.isHeld = true;
            TestClient client = second.node.open(0, ProtocolVersion.MQTT_5);
            client.connect("s", false, 3600, 0);
            nodes.step(step);
            second.crash();
            nodes.isHeld = false;
            nodes.settle();
            TestClient again = second.connect(1, "s", null);
            acknowledgeAll(again);
            assertThat(again.payloads()).as("after %s words", step).isEqualTo(messages(1, 8));
            assertGoneFrom(first);
            assertDone(second);
        }
    }

    @Test
    void a_former_home_that_crashes_serves_the_rest() {
        for (int step = 2; step < 12; step++) {
            twoNodes();
            published = 0;
            offlineWith(8, 1);
            nodes.isHeld = true;
            TestClient client = second.node.open(0, ProtocolVersion.MQTT_5);
            client.connect("s", false, 3600, 0);
            nodes.step(step);
            first.crash();
            second.linked(1);
            nodes.isHeld = false;
            nodes.settle();
            acknowledgeAll(client);
            assertThat(client.payloads()).as("after %s words", step).isEqualTo(messages(1, 8));
            assertThat(second.node.session("s").isFilling()).isFalse();
        }
    }

    @Test
    void a_will_whose_delay_runs_is_cancelled_by_a_reconnect_anywhere() {
        TestClient watcher = first.connect(0, "w", true, 0, null);
        watcher.subscribe(1, 1, "will");
        nodes.settle();
        first.connect(1, "s", RestartFixture.will(1, false, 5)).cut();
        nodes.settle();
        second.connect(0, "s", null);
        first.node.tick(10_000);
        second.node.tick(10_000);
        nodes.settle();
        assertThat(watcher.payloads()).isEmpty();
    }

    @Test
    void clean_start_ends_it_where_it_was() {
        offlineWith(3, 1);
        TestClient client = second.connect(0, "s", true, 3600, null);
        assertThat(RestartFixture.isPresent(client)).isFalse();
        assertThat(client.payloads()).isEmpty();
        assertGoneFrom(first);
    }

    /** The queue of another session that was merged into this one goes before its own. */
    @Test
    void while_another_queue_goes_before_its_own_it_stays_and_its_client_is_served_there() {
        first.connect(1, "old", null).subscribe(1, 1, "t");
        nodes.settle();
        publish(2, 1);
        subscriber().cut();
        nodes.settle();
        first.store
                .state()
                .precede(first.node.session("s").queueId(), first.node.session("old").queueId());
        first.crash();
        publisher = first.connect(0, "p", true, 0, null);
        published = 2;
        publish(2, 1);

        TestClient refused = second.connect(0, "s", null);
        TestClient served = first.connect(1, "s", null);
        TestClient alsoRefused = second.connect(0, "s", null);
        acknowledgeAll(served);
        publish(1, 1);
        TestClient moved = second.connect(0, "s", null);
        acknowledgeAll(moved);

        assertThat(code(refused)).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(code(alsoRefused)).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        assertThat(served.payloads()).isEqualTo(messages(1, 5));
        assertThat(RestartFixture.isPresent(moved)).isTrue();
        assertThat(moved.payloads()).containsExactly("m5");
        assertDone(second);
    }

    private static int code(TestClient client) {
        return ((Packet.ConnAck) client.packets().getFirst()).code();
    }

    @Test
    void a_transient_session_ends_with_0x8E_where_it_was() {
        TestClient older = first.connect(1, "s", false, 0, null);
        TestClient newer = second.connect(0, "s", false, 0, null);
        assertThat(reason(older)).isEqualTo(ReasonCode.SESSION_TAKEN_OVER);
        assertThat(RestartFixture.isPresent(newer)).isFalse();
        assertThat(first.node.shards[0].load().sessions() + first.node.shards[1].load().sessions())
                .isEqualTo(1);
    }
}
