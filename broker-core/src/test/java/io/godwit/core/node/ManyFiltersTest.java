package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** SUBSCRIBEs and UNSUBSCRIBEs of many filters are done in slices on the shard of the client. */
class ManyFiltersTest {
    private static final int FILTERS = 1_000;

    /** What is done at once in a turn, and a slice. */
    private static final int TURN_MOST = 600;

    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private static String[] filters(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "f/" + i).toArray(String[]::new);
    }

    private static Packet.Unsubscribe unsubscribe(String... filters) {
        List<TopicFilter> all = new ArrayList<>();
        for (String filter : filters) {
            all.add(TopicFilter.of(filter));
        }
        return new Packet.Unsubscribe(2, all, Properties.NONE);
    }

    private long subscriptions() {
        return node.shards[1].load().subscriptions();
    }

    @Test
    void no_turn_does_more_than_some_and_what_follows_waits() {
        TestClient client = node.client(1, "c");
        client.subscribe(1, 1, filters(0, FILTERS));
        client.send(Packet.PingReq.INSTANCE);
        long before = subscriptions();
        assertThat(before).isBetween(1L, (long) TURN_MOST);
        while (subscriptions() < FILTERS) {
            assertThat(client.count(PacketType.PINGRESP)).isZero();
            assertThat(node.loops[1].step()).isTrue();
            assertThat(subscriptions() - before).isLessThanOrEqualTo(TURN_MOST);
            before = subscriptions();
        }
        node.settle();
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        Packet.SubAck answer =
                (Packet.SubAck)
                        client.packets().stream()
                                .filter(Packet.SubAck.class::isInstance)
                                .findFirst()
                                .orElseThrow();
        assertThat(answer.codes()).hasSize(FILTERS).containsOnly((byte) 1);
        TestClient publisher = node.client(0, "p");
        for (int i : new int[] {0, FILTERS / 2, FILTERS - 1}) {
            publisher.publish("f/" + i, 0, 0, "m" + i);
        }
        node.settle();
        assertThat(client.payloads()).containsExactly("m0", "m" + FILTERS / 2, "m" + (FILTERS - 1));
    }

    @Test
    void many_clients_share_a_turn() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            clients.add(node.client(1, "c" + i));
        }
        clients.forEach(client -> client.subscribe(1, 0, filters(0, FILTERS / 10)));
        assertThat(subscriptions()).isLessThanOrEqualTo(TURN_MOST);
        node.settle();
        assertThat(subscriptions()).isEqualTo(FILTERS);
        assertThat(clients).allMatch(client -> client.count(PacketType.SUBACK) == 1);
    }

    @Test
    void an_unsubscribe_behind_it_comes_behind_it() {
        TestClient client = node.client(1, "c");
        ByteBuf both = Unpooled.buffer();
        List<Packet.Subscription> all = new ArrayList<>();
        for (String filter : filters(0, FILTERS)) {
            all.add(new Packet.Subscription(TopicFilter.of(filter), 0, false, false, 0));
        }
        both.writeBytes(client.encode(new Packet.Subscribe(1, all, Properties.NONE)));
        both.writeBytes(client.encode(unsubscribe(filters(1, FILTERS))));
        client.bytes(both);
        node.settle();
        assertThat(subscriptions()).isEqualTo(1);
        Packet.UnsubAck answer = (Packet.UnsubAck) client.packets().getLast();
        assertThat(answer.codes()).hasSize(FILTERS - 1).containsOnly((byte) 0);
    }

    @Test
    void when_the_client_goes_in_between_the_session_has_what_the_index_has() {
        TestClient client = node.client(1, "c", 3600, 0);
        client.subscribe(1, 1, filters(0, FILTERS));
        client.cut();
        node.settle();
        int has = node.session("c").subscriptionCount();
        assertThat(has).isBetween(1, TURN_MOST);
        TestClient publisher = node.client(0, "p");
        for (int i = 0; i < FILTERS; i++) {
            publisher.publish("f/" + i, 1, i + 1, "m" + i);
        }
        node.settle();
        assertThat(node.queuedMessages()).isEqualTo(has);
        TestClient back = node.client(1, "c", 3600, 0);
        back.subscribe(1, 1, filters(0, FILTERS));
        node.settle();
        assertThat(node.session("c").subscriptionCount()).isEqualTo(FILTERS);
    }

    @Test
    void what_is_not_offered_ends_the_connection_before_anything_is_granted() {
        TestNode without =
                new TestNode(1, withoutShared(), LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        TestClient client = without.client(0, "c", 3600, 0);
        client.subscribe(1, 1, "a", "$share/g/b");
        without.settle();
        Packet.Disconnect end = (Packet.Disconnect) client.packets().getLast();
        assertThat(end.reason()).isEqualTo(ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED);
        assertThat(without.session("c").subscriptionCount()).isZero();
    }

    @Test
    void when_the_store_fails_in_between_none_of_it_is_there() {
        HeldFixture held = new HeldFixture();
        TestClient client = held.durable(1, "c", ProtocolVersion.MQTT_5);
        client.subscribe(1, 1, "before");
        held.node.settle();
        client.subscribe(2, 1, filters(0, FILTERS));
        held.node.loops[1].endTurn();
        held.store.hold();
        held.node.settle();
        held.fail();
        Packet.SubAck answer = (Packet.SubAck) client.packets().getLast();
        assertThat(answer.codes())
                .hasSize(FILTERS)
                .containsOnly((byte) ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code());
        assertThat(held.node.session("c").subscriptionCount()).isEqualTo(1);
    }

    private static MqttSettings withoutShared() {
        MqttSettings usual = MqttSettings.DEFAULTS;
        return new MqttSettings(
                usual.receiveMaximum(),
                usual.topicAliasMaximum(),
                usual.topicAliasMaximumOutbound(),
                usual.maximumPacketSize(),
                usual.maximumQos(),
                usual.keepAliveMaximum(),
                usual.retainAvailable(),
                usual.wildcardSubscriptions(),
                false,
                usual.subscriptionIdentifiers(),
                usual.sessionExpiryMaximum(),
                usual.sessionExpiry3x(),
                usual.inFlight3x(),
                usual.sharedStrategy(),
                usual.responseInformation(),
                false);
    }
}
