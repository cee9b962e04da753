package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.publish.SlotGate;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** While slots are taken over some sessions are left out, or get what others do not. */
class SlotGateTest {
    private final TestNode node =
            new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);

    private static BitSet slotOf(String... clientIds) {
        BitSet slots = new BitSet();
        for (String each : clientIds) {
            slots.set(ClientId.of(each).slot());
        }
        return slots;
    }

    private TestClient durable(int shard, String id, int qos) {
        TestClient client = node.client(shard, id, 1_000, 0);
        client.subscribe(1, qos, "t");
        node.settle();
        return client;
    }

    private void gate(@Nullable SlotGate gate) {
        for (BrokerShard each : node.shards) {
            each.router().gate(gate);
        }
    }

    private static Message message(String payload, int qos) {
        return new Message(
                Topic.of("t"),
                payload.getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                qos,
                false,
                Message.NEVER,
                ClientId.of("p"),
                1,
                7);
    }

    @Test
    void durable_sessions_of_closed_slots_are_left_out() {
        TestClient closed = durable(0, "closed", 1);
        TestClient elsewhere = durable(1, "also", 1);
        TestClient open = durable(1, "open", 1);
        TestClient nobodys = node.subscriber(0, "transient", 1, "t");
        TestClient publisher = node.client(0, "p");
        gate(SlotGate.without(slotOf("closed", "also", "transient")));

        publisher.publish("t", 1, 1, "m");
        node.settle();

        assertThat(closed.payloads()).isEmpty();
        assertThat(elsewhere.payloads()).isEmpty();
        assertThat(open.payloads()).containsExactly("m");
        assertThat(nobodys.payloads()).as("it is where its client is").containsExactly("m");

        gate(null);
        publisher.publish("t", 1, 2, "n");
        node.settle();
        assertThat(closed.payloads()).containsExactly("n");
        assertThat(elsewhere.payloads()).containsExactly("n");
    }

    @Test
    void message_that_is_left_out_everywhere_has_had_a_match() {
        durable(0, "closed", 1);
        TestClient publisher = node.client(0, "p");
        gate(SlotGate.without(slotOf("closed")));

        publisher.publish("t", 1, 1, "m");
        node.settle();

        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(node.count(Metric.NO_MATCH)).isZero();
    }

    @Test
    void retained_message_is_kept_though_sessions_are_left_out() {
        TestClient closed = durable(0, "closed", 1);
        TestClient publisher = node.client(1, "p");
        gate(SlotGate.without(slotOf("closed")));

        publisher.publish("t", 1, 1, true, new byte[] {'m'});
        node.settle();

        assertThat(closed.payloads()).isEmpty();
        assertThat(node.subscriber(1, "later", 1, "t").payloads()).containsExactly("m");
    }

    @Test
    void redirected_message_goes_to_durable_sessions_of_its_slots_alone() {
        TestClient named = durable(1, "named", 2);
        TestClient other = durable(0, "other", 2);
        TestClient atMostOnce = durable(0, "once", 0);
        TestClient nobodys = node.subscriber(0, "transient", 2, "t");
        Receipt receipt = new Receipt(null, 1, 2);

        SlotGate gate = SlotGate.redirected(slotOf("named", "once", "transient"), null);
        node.shards[0].execute(() -> {
            node.shards[0].router().redirect(message("m", 2), gate, receipt);
            receipt.routed();
        });
        node.settle();

        assertThat(named.payloads()).containsExactly("m");
        assertThat(other.payloads()).isEmpty();
        assertThat(atMostOnce.payloads()).isEmpty();
        assertThat(nobodys.payloads()).isEmpty();
        assertThat(receipt.isDone()).isTrue();
    }

    @Test
    void redirected_message_of_qos_2_is_taken_in_once() {
        TestClient named = durable(1, "named", 2);
        SlotGate gate = SlotGate.redirected(slotOf("named"), null);
        for (int i = 0; i < 2; i++) {
            Receipt receipt = new Receipt(null, 1, 2);
            node.shards[0].execute(() -> {
                node.shards[0].router().redirect(message("m", 2), gate, receipt);
                receipt.routed();
            });
            node.settle();
            assertThat(receipt.isDone()).isTrue();
        }
        assertThat(named.payloads()).containsExactly("m");
    }

    @Test
    void redirected_message_is_left_out_where_its_source_has_not_entered() {
        TestClient closed = durable(0, "closed", 1);
        SlotGate before = SlotGate.without(slotOf("closed"));
        SlotGate gate = SlotGate.redirected(slotOf("closed"), before);
        node.shards[0].execute(() -> node.shards[0].router().redirect(message("m", 1), gate, null));
        node.settle();
        assertThat(closed.payloads()).isEmpty();
    }

    @Test
    void large_fan_out_leaves_out_what_was_closed_when_it_began() {
        List<TestClient> all = new ArrayList<>();
        BitSet closed = new BitSet();
        for (int i = 0; i < 3_000; i++) {
            all.add(durable(i % 2, "c" + i, 1));
            closed.set(ClientId.of("c" + i).slot(), i % 3 == 0);
        }
        TestClient publisher = node.client(0, "p");
        gate(SlotGate.without(closed));

        publisher.publish("t", 1, 1, "m");
        gate(null);
        node.settle();

        for (int i = 0; i < all.size(); i++) {
            boolean isClosed = closed.get(ClientId.of("c" + i).slot());
            assertThat(all.get(i).payloads()).hasSize(isClosed ? 0 : 1);
        }
    }
}
