package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Thousands of clients that come at one moment go on in turn, and so does what waits for them. */
class ManyConnectsTest extends QueueFixture {
    private static final int CLIENTS = 500;

    /** Two slices, and what a turn does at once. */
    private static final int TURN_MOST = 60;

    private static final int WILL_BYTES = 2_000;
    private static final int WINDOW = 400;

    private final List<TestClient> clients = new ArrayList<>();

    private void connectAll(int count, long expirySeconds) {
        for (int i = 0; i < count; i++) {
            TestClient client = node.open(1, ProtocolVersion.MQTT_5);
            client.connect("c" + i, false, expirySeconds, 0);
            clients.add(client);
        }
    }

    private long connected() {
        return node.count(Metric.CONNECTS);
    }

    private boolean step() {
        return node.loops[1].step() | node.loops[0].step();
    }

    @Test
    void no_turn_greets_more_than_some_and_all_are_greeted() {
        long before = connected();
        connectAll(CLIENTS, 3600);
        while (step()) {
            assertThat(connected() - before).as("in one turn").isLessThanOrEqualTo(TURN_MOST);
            before = connected();
        }
        assertThat(clients).allMatch(client -> !client.packets().isEmpty());
        assertThat(connected()).isEqualTo(1 + CLIENTS);
        assertThat(node.count(Metric.CONNECTS_PACED)).isBetween(1L, (long) CLIENTS);
    }

    @Test
    void who_is_there_does_not_wait_for_them() {
        TestClient subscriber = node.subscriber(0, "s", 0, "t");
        TestClient other = node.client(1, "o");
        connectAll(CLIENTS, 0);
        node.loops[1].step();
        long before = connected();
        other.publish("t", 0, 0, "now");
        node.loops[1].endTurn();
        node.loops[0].step();
        assertThat(subscriber.payloads()).containsExactly("now");
        assertThat(connected() - before).isLessThanOrEqualTo(TURN_MOST);
        node.settle();
        assertThat(connected()).isEqualTo(3 + CLIENTS);
    }

    @Test
    void one_that_leaves_while_it_waits_leaves_no_session() {
        connectAll(CLIENTS, 3600);
        clients.getLast().cut();
        node.settle();
        assertThat(connected()).isEqualTo(CLIENTS);
        assertThat(node.shards[0].load().sessions() + node.shards[1].load().sessions())
                .isEqualTo(CLIENTS);
        assertThat(clients.getLast().packets()).isEmpty();
    }

    private long heldBytes() {
        return node.shards[1].load().heldBytes();
    }

    @Test
    void those_that_wait_are_in_the_account_with_their_wills() {
        for (int i = 0; i < CLIENTS; i++) {
            connectWithWill("c" + i);
        }
        assertThat(heldBytes()).isGreaterThan((long) (CLIENTS - TURN_MOST) * WILL_BYTES);
        clients.getLast().cut();
        node.settle();
        assertThat(connected()).isEqualTo(CLIENTS);
        assertThat(heldBytes()).isZero();
    }

    @Test
    void above_limits_partial_bytes_they_are_refused_until_others_have_gone_on() {
        node =
                new TestNode(
                        2,
                        Limits.with(l -> l.partialBytes = 100L * WILL_BYTES),
                        OverloadSettings.DEFAULTS);
        for (int i = 0; i < CLIENTS; i++) {
            connectWithWill("c" + i);
        }
        assertThat(heldBytes()).isLessThanOrEqualTo(100L * WILL_BYTES);
        node.settle();
        long refused = node.count(Metric.REFUSED_PARTIAL_BYTES);
        assertThat(refused).isBetween((long) CLIENTS - 100 - TURN_MOST, (long) CLIENTS - 50);
        assertThat(connected()).isEqualTo(CLIENTS - refused);
        Packet.ConnAck answer = (Packet.ConnAck) clients.getLast().packets().getLast();
        assertThat(answer.code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        assertThat(heldBytes()).isZero();
        clients.clear();
        connectWithWill("late");
        node.settle();
        assertThat(clients.getLast().count(PacketType.CONNACK)).isEqualTo(1);
        assertThat(clients.getLast().isClosed()).isFalse();
    }

    private void connectWithWill(String clientId) {
        Will will = new Will(Topic.of("w"), 0, false, new byte[WILL_BYTES], 0, Properties.NONE);
        TestClient client = node.open(1, ProtocolVersion.MQTT_5);
        client.connect(clientId, true, 0, 0, will);
        clients.add(client);
    }

    @Test
    void pages_of_rows_that_come_at_once_are_sent_in_slices() {
        int sessions = 50;
        int each = 100;
        node(new QueueSettings(1_000, 1 << 20, QueuePolicy.DISCARD_NEWEST, 1 << 20, 1 << 30, 100));
        connectAll(sessions, 3600);
        node.settle();
        clients.forEach(client -> client.subscribe(1, 1, "t"));
        node.settle();
        clients.forEach(TestClient::cut);
        node.settle();
        publish(each);
        rows();
        store.holdReads();
        clients.clear();
        connectAll(sessions, 3600);
        node.settle();
        assertThat(store.readsWaiting()).isGreaterThanOrEqualTo(sessions);
        long before = node.count(Metric.PUBLISH_SENT);
        store.answerAll();
        while (step()) {
            long now = node.count(Metric.PUBLISH_SENT);
            assertThat(now - before).as("in one turn").isLessThanOrEqualTo(1_500);
            before = now;
        }
        assertThat(clients)
                .allSatisfy(client -> assertThat(client.payloads()).isEqualTo(messages(1, each)));
    }

    /** 400 messages each, sent and not acknowledged. */
    private void allInFlight(int sessions) {
        node(new QueueSettings(1_000, 1 << 20, QueuePolicy.DISCARD_NEWEST, 1 << 20, 1 << 30, 100));
        connectAll(sessions, 3600);
        node.settle();
        clients.forEach(client -> client.subscribe(1, 1, "t"));
        node.settle();
        publish(WINDOW);
        assertThat(clients)
                .allSatisfy(
                        client -> assertThat(client.count(PacketType.PUBLISH)).isEqualTo(WINDOW));
        clients.forEach(TestClient::cut);
        node.settle();
        clients.clear();
    }

    private void assertSentInSlices() {
        assertSentSome();
        assertThat(clients)
                .allSatisfy(client -> assertThat(client.payloads()).isEqualTo(messages(1, WINDOW)));
    }

    @Test
    void what_is_in_flight_is_sent_again_in_slices() {
        allInFlight(50);
        connectAll(50, 3600);
        assertSentInSlices();
    }

    @Test
    void what_an_earlier_start_has_left_in_flight_is_sent_again_in_slices() {
        allInFlight(50);
        rows();
        for (int i = 0; i < 50; i++) {
            node.change(
                    node.session("c" + i),
                    queue -> {
                        queue.inFlightLeavesMemory();
                    });
        }
        node.settle();
        assertThat(node.inFlightBytes()).isLessThan(50L * WINDOW * 100);
        store.holdReads();
        connectAll(50, 3600);
        node.settle();
        while (store.readsWaiting() > 0) {
            store.answerAll();
            assertSentSome();
        }
        assertThat(clients)
                .allSatisfy(client -> assertThat(client.payloads()).isEqualTo(messages(1, WINDOW)));
    }

    private void assertSentSome() {
        long before = node.count(Metric.PUBLISH_SENT);
        while (step()) {
            long now = node.count(Metric.PUBLISH_SENT);
            assertThat(now - before).as("in one turn").isLessThanOrEqualTo(1_500);
            before = now;
        }
    }

    @Test
    void one_that_leaves_while_it_waits_to_send_again_gets_all_when_it_is_back() {
        allInFlight(50);
        connectAll(50, 3600);
        step();
        step();
        TestClient last = clients.removeLast();
        last.cut();
        assertSentInSlices();
        TestClient back = node.client(0, "c49", 3600, 0);
        assertThat(back.payloads()).isEqualTo(messages(1, WINDOW));
    }
}
