package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.codec.FilterPace;
import io.godwit.core.index.FilterDecoding;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** SUBSCRIBEs and UNSUBSCRIBEs of which the decoding alone takes long are decoded in slices. */
class LongFiltersTest {
    private static final int FILTERS = 100;
    private static final int FILTER_BYTES = 20_000;

    /** What a turn decodes at once, and in a slice, each with its last filter. */
    private static final int TURN_MOST =
            2 * (FilterDecoding.SLICE * FilterPace.UNIT_BYTES + FILTER_BYTES);

    private TestNode node = new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private static List<TopicFilter> filters() {
        List<TopicFilter> filters = new ArrayList<>();
        for (int i = 0; i < FILTERS; i++) {
            filters.add(TopicFilter.of("f" + i + "/" + "x".repeat(FILTER_BYTES - 10)));
        }
        return filters;
    }

    private static Packet.Subscribe subscribe() {
        List<Packet.Subscription> all = new ArrayList<>();
        for (TopicFilter filter : filters()) {
            all.add(new Packet.Subscription(filter, 1, false, false, 0));
        }
        return new Packet.Subscribe(1, all, Properties.NONE);
    }

    private long heldBytes() {
        return node.shards[1].load().heldBytes();
    }

    private long subscriptions() {
        return node.shards[1].load().subscriptions();
    }

    @Test
    void no_turn_decodes_more_than_some_and_what_follows_waits() {
        TestClient client = node.client(1, "c");
        ByteBuf bytes = client.encode(subscribe());
        int packet = bytes.readableBytes();
        client.bytes(bytes);
        client.send(Packet.PingReq.INSTANCE);
        int turns = 0;
        long before = packet;
        while (subscriptions() == 0) {
            assertThat(client.packets().getLast()).isInstanceOf(Packet.ConnAck.class);
            assertThat(heldBytes()).as("the packet and what is decoded").isGreaterThan(packet);
            assertThat(heldBytes() - before).isLessThanOrEqualTo(TURN_MOST);
            before = heldBytes();
            node.loops[1].step();
            turns++;
        }
        assertThat(turns).isGreaterThanOrEqualTo(packet / TURN_MOST);
        node.settle();
        assertThat(client.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(client.count(PacketType.SUBACK)).isEqualTo(1);
        assertThat(subscriptions()).isPositive();
        assertThat(heldBytes()).isZero();
    }

    @Test
    void several_clients_share_a_turn() {
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            clients.add(node.client(1, "c" + i));
        }
        long packets = 0;
        for (TestClient client : clients) {
            ByteBuf bytes = client.encode(subscribe());
            packets += bytes.readableBytes();
            client.bytes(bytes);
        }
        assertThat(heldBytes() - packets).isLessThanOrEqualTo(TURN_MOST);
        node.settle();
        assertThat(clients).allMatch(client -> client.count(PacketType.SUBACK) == 1);
        assertThat(heldBytes()).isZero();
    }

    @Test
    void one_that_is_malformed_at_its_end_grants_nothing() {
        TestClient client = node.client(1, "c", 3600, 0);
        ByteBuf bytes = client.encode(subscribe());
        bytes.setByte(bytes.writerIndex() - 1, 0xFF); // the options of the last filter
        client.bytes(bytes);
        node.settle();
        Packet.Disconnect end = (Packet.Disconnect) client.packets().getLast();
        assertThat(end.reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
        assertThat(node.session("c").subscriptionCount()).isZero();
        assertThat(heldBytes()).isZero();
    }

    @Test
    void an_unsubscribe_is_decoded_in_slices_too() {
        TestClient client = node.client(1, "c");
        client.send(new Packet.Unsubscribe(1, filters(), Properties.NONE));
        assertThat(heldBytes()).isPositive();
        node.settle();
        assertThat(client.count(PacketType.UNSUBACK)).isEqualTo(1);
        assertThat(heldBytes()).isZero();
    }

    @Test
    void when_the_client_goes_in_between_nothing_of_it_is_left() {
        TestClient client = node.client(1, "c", 3600, 0);
        client.send(subscribe());
        assertThat(heldBytes()).isPositive();
        client.cut();
        node.settle();
        assertThat(heldBytes()).isZero();
        assertThat(node.session("c").subscriptionCount()).isZero();
        node.client(1, "c", 3600, 0).send(subscribe());
        node.settle();
        assertThat(node.session("c").subscriptionCount()).isPositive();
    }

    @Test
    void what_is_decoded_counts_for_limits_partial_bytes() {
        int packet = FILTERS * FILTER_BYTES;
        node =
                new TestNode(
                        2,
                        Limits.with(l -> l.partialBytes = packet * 3L / 2),
                        OverloadSettings.DEFAULTS);
        TestClient client = node.client(1, "c");
        client.send(subscribe());
        node.settle();
        Packet.Disconnect end = (Packet.Disconnect) client.packets().getLast();
        assertThat(end.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(node.count(Metric.REFUSED_PARTIAL_BYTES)).isEqualTo(1);
        assertThat(heldBytes()).isZero();
        assertThat(subscriptions()).isZero();
    }
}
