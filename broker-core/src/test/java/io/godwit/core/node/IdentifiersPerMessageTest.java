package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** limits.identifiers-per-message: Subscription Identifiers of overlapping subscriptions. */
class IdentifiersPerMessageTest {
    private static final int GRANTED = 1;
    private static final int REFUSED = 0x97;

    private final RestartFixture broker = new RestartFixture();

    private void limit(int identifiers) {
        ClientLimits d = ClientLimits.DEFAULTS;
        ClientLimits limited =
                new ClientLimits(
                        d.subscriptionBytes(),
                        identifiers,
                        d.willBytes(),
                        d.inFlightBytes(),
                        d.sessionsPerUser(),
                        d.sessionsPerAddress());
        broker.limits = Limits.with(l -> l.clients = limited);
        broker.crash(0);
    }

    /**
     * Subscribes at QoS 1.
     *
     * @param identifier 0 for none
     * @return the codes of SUBACK
     */
    private static List<Integer> subscribe(
            TestNode node, TestClient client, int identifier, String... filters) {
        List<Packet.Subscription> all = new ArrayList<>();
        for (String filter : filters) {
            all.add(new Packet.Subscription(TopicFilter.of(filter), 1, false, false, 0));
        }
        Properties properties =
                identifier == 0
                        ? Properties.NONE
                        : Properties.builder()
                                .add(Property.SUBSCRIPTION_IDENTIFIER, identifier)
                                .build();
        client.send(new Packet.Subscribe(1, all, properties));
        node.settle();
        byte[] codes = ((Packet.SubAck) client.packets().getLast()).codes();
        return IntStream.range(0, codes.length).mapToObj(i -> codes[i] & 0xFF).toList();
    }

    private List<Integer> subscribe(TestClient client, int identifier, String... filters) {
        return subscribe(broker.node, client, identifier, filters);
    }

    private static List<Long> identifiers(TestClient client) {
        Packet.Publish last = (Packet.Publish) client.packets().getLast();
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < last.properties().size(); i++) {
            if (last.properties().key(i) == Property.SUBSCRIPTION_IDENTIFIER) {
                all.add((Long) last.properties().value(i));
            }
        }
        return all;
    }

    @Test
    void no_message_brings_more_than_the_limit_and_that_of_its_own_topic() {
        limit(3);
        TestClient client = broker.durable(0, "c");
        assertThat(subscribe(client, 1, "+/b/#", "a/#")).containsExactly(GRANTED, GRANTED);
        assertThat(subscribe(client, 2, "a/+", "#")).containsExactly(GRANTED, REFUSED);
        assertThat(subscribe(client, 4, "a/b")).as("no wildcard").containsExactly(GRANTED);
        assertThat(subscribe(client, 0, "#")).as("no identifier").containsExactly(GRANTED);
        assertThat(subscribe(client, 5, "#")).as("that of before stays").containsExactly(REFUSED);
        assertThat(subscribe(client, 6, "$share/g/a/+")).as("a group").containsExactly(GRANTED);
        assertThat(subscribe(client, 7, "a/+")).as("has one").containsExactly(GRANTED);
        assertThat(broker.node.count(Metric.SUBSCRIBES_REFUSED)).isEqualTo(2);

        client.send(
                new Packet.Unsubscribe(
                        2, List.of(TopicFilter.of("$share/g/a/+")), Properties.NONE));
        broker.node.settle();
        broker.node.client(1, "p").publish("a/b", 1, 1, "m");
        broker.node.settle();
        assertThat(identifiers(client)).containsExactlyInAnyOrder(1L, 1L, 4L, 7L);
    }

    @Test
    void what_goes_or_loses_its_identifier_makes_room() {
        limit(1);
        TestClient client = broker.durable(0, "c");
        assertThat(subscribe(client, 1, "a/+")).containsExactly(GRANTED);
        assertThat(subscribe(client, 1, "b/+")).containsExactly(REFUSED);
        assertThat(subscribe(client, 0, "a/+")).containsExactly(GRANTED);
        assertThat(subscribe(client, 1, "b/+")).containsExactly(GRANTED);
        client.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("b/+")), Properties.NONE));
        broker.node.settle();
        assertThat(subscribe(client, 1, "c/+", "d/+")).containsExactly(GRANTED, REFUSED);
    }

    @Test
    void a_session_that_has_more_keeps_them_after_restart_and_takeover_and_gets_no_more() {
        TestClient before = broker.durable(0, "c");
        assertThat(subscribe(before, 1, "a/+", "+/b", "#")).doesNotContain(REFUSED);
        limit(2);
        TestClient after = broker.durable(1, "c");
        assertThat(subscribe(after, 2, "a/#")).containsExactly(REFUSED);
        assertThat(subscribe(after, 2, "a/+")).as("instead of 1").containsExactly(GRANTED);
        TestClient other = broker.durable(0, "c");
        assertThat(subscribe(other, 2, "a/#")).containsExactly(REFUSED);
        broker.node.client(1, "p").publish("a/b", 1, 1, "m");
        broker.node.settle();
        assertThat(identifiers(other)).containsExactlyInAnyOrder(1L, 1L, 2L);
    }

    /** Each message to another topic has an array of its own. */
    @Test
    void identifiers_are_charged_with_the_message_that_brings_them() {
        TestNode node = new TestNode(1, LimitSettings.DEFAULTS, broker.store, broker.time);
        TestClient subscriber = node.client(0, "s", 0, 1);
        for (int i = 0; i < 64; i++) {
            StringBuilder filter = new StringBuilder("+");
            for (int bit = 0; bit < 6; bit++) {
                filter.append((i >> bit & 1) == 0 ? "/x" : "/+");
            }
            assertThat(subscribe(node, subscriber, 1 + i, filter.toString()))
                    .containsExactly(GRANTED);
        }
        TestClient publisher = node.client(0, "p");
        for (int i = 0; i < 10; i++) {
            publisher.publish(i + "/x/x/x/x/x/x", 1, 1 + i, "m");
            node.settle();
        }
        assertThat(identifiers(subscriber)).hasSize(64);
        assertThat(node.queuedMessages()).isEqualTo(9);
        assertThat(node.queuedBytes()).isGreaterThan(9 * 64 * Integer.BYTES);
        assertThat(node.inFlightBytes()).isGreaterThan(64 * Integer.BYTES);
        for (int i = 1; i <= 10; i++) {
            Packet.Publish last = (Packet.Publish) subscriber.packets().getLast();
            subscriber.ack(PacketType.PUBACK, last.packetId());
            node.settle();
        }
        assertThat(node.queuedBytes()).isZero();
        assertThat(node.inFlightBytes()).isZero();
    }
}
